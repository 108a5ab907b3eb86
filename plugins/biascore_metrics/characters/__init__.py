"""Characters: of whom a model writes, women or men, in texts about occupations or traits of a known norm."""
