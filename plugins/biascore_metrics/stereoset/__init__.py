"""StereoSet (Nadeem, Bethke & Reddy 2021) for masked and for causal language models, and the data format of its file."""
