"""The metric: pure functions of data. No I/O, no threads, no screen."""
