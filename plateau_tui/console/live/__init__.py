"""A run's log as frozen views, kept up as it grows; no widget is known here."""
