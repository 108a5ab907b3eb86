"""The way of a question to its answer: each once, from the cache, in batches, within budgets, again where that may help."""
