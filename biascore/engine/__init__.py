"""Runs: what is asked is checked, planned, measured and recorded."""
