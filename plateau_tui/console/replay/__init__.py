"""A log as it stood at any moment."""
