"""What stands on the screen, as pure text."""
