"""The Word Embedding Association Test and its single-category form (Caliskan et al. 2017)."""
