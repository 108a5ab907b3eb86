"""What becomes of a stored run: found inputs, verification, one file to hand on, and going on where a part failed."""
