"""How a contract proves that it measures anything: milestones, measured motion, baselines."""
