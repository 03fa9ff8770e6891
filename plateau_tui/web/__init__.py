"""The console in a browser: a server on loopback, and a console of its own for every page."""
