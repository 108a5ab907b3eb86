"""Flexible Intersectional Stereotype Extraction (Charlesworth et al. 2024) and its form for grammatical gender."""
