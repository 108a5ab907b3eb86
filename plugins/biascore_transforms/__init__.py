"""Transforms of vectors that come with biascore, one module a method."""
