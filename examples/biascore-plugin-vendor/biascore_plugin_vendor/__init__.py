"""Embeddings of a vendor, asked over HTTP."""

biascore_contract = 1
