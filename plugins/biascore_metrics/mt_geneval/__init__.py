"""MT-GenEval (Currey et al. 2022): does a translation keep the gender that the English sentence states?"""
