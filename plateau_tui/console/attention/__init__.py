"""What the operator has not acknowledged, and when to ring."""
