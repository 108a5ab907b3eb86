"""CrowS-Pairs (Nangia et al. 2020) for masked and for causal language models, and the data format of its file."""
