"""What a run says of its results, in sentences."""
