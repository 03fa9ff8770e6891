"""The registration as a form, and its seal."""
