"""BBQ (Parrish et al. 2022) and its kin: questions with options, of which one agrees with a stereotype."""
