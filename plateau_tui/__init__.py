"""Observe a pre-registered, paired experiment on a Minecraft server and adjudicate it."""

__version__ = "0.1.0"
