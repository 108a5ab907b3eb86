"""First-party plugins of biascore, found through entry points."""
