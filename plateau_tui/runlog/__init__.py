"""A run on disk: layout, rows, journal, chain, durable append, verify."""
