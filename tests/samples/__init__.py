"""The stories behind ``sample_runs/``, and what writes them down as runs."""
