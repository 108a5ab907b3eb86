"""Whom does a pronoun mean? WinoBias (Zhao et al. 2018) and Winogender (Rudinger et al. 2018), with their data formats."""
