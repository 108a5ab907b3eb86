"""Robust bias detection (Shrestha, Tay & Srinivasan 2025): associations by a mixed model, weighted by perplexity."""
