"""How the screen is drawn: themes, colour modes, plain characters, the clipboard."""
