"""Files of this machine: named, read within bounds, read as tables, and put in their place whole."""
