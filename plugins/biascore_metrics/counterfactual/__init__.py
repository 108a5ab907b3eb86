"""Counterfactual pairs: prompts that differ in the group of a person alone, and the texts that a model writes to both."""
