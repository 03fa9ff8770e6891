"""The console: it tails a run's log, shows it and asks. It decides nothing."""
