"""Speaker-gender detection by rules that a linguist writes in TOML (docs/speaker-gender.md)."""

from typing import TYPE_CHECKING

from biascore.basics.lazy import lazily

if TYPE_CHECKING:  # a language is known before its grammar is read
    from biascore.languages.gender_rules.detector import RuleDetector as RuleDetector
    from biascore.languages.gender_rules.grammar import Grammar as Grammar
    from biascore.languages.gender_rules.grammar import load_grammar as load_grammar
    from biascore.languages.gender_rules.with_rules import language_with_rules as language_with_rules
else:
    __getattr__, __dir__ = lazily(__name__)
