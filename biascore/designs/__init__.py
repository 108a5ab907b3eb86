"""Scores with their design: from what a method gives to effect, interval, p, decision and caveats."""
