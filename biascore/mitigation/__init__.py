"""Counterfactual data augmentation: a corpus with the words of pairs swapped, on which a model is trained further."""
