"""Paired scores: the difference between the two sentences of each pair."""
