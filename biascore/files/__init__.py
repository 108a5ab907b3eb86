"""Files of this machine: named, read within bounds, read as tables, and replaced whole."""
