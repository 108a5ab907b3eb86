"""Speaker-gender detection by rules that a linguist writes in TOML (docs/speaker-gender.md)."""

from biascore.languages.gender_rules.detector import RuleDetector, language_with_rules
from biascore.languages.gender_rules.grammar import Grammar, load_grammar

__all__ = ["Grammar", "RuleDetector", "language_with_rules", "load_grammar"]
