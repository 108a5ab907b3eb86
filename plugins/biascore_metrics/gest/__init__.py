"""GEST (Pikuliak et al. 2023): stereotypes in translation, in masked and in causal language models, and its data."""
