"""The games that can be calibrated; each module is loaded when its target is asked for."""
