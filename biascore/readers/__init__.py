"""What a model wrote, read by rules (whom it is about, numbers, words of lists) or by another model, with its own gap."""
