"""Scenarios: who may be harmed how, which measurements speak of it, and what of it was not tested."""
