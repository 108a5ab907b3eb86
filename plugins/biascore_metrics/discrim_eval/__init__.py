"""Discrim-Eval (Tamkin et al. 2023): decisions about persons who differ in age, gender and race alone."""
