"""What was found: measurements, the run that holds them, and what the run says of them."""
