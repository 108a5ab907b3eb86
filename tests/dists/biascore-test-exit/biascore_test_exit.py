"""Ends the interpreter while it is imported."""

raise SystemExit("no licence found")
