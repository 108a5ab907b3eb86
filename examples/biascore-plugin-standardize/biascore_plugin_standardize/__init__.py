"""Standardize for biascore: a transform of vectors."""

biascore_contract = 1
