"""Vectors changed by a transform, which learns from words."""
