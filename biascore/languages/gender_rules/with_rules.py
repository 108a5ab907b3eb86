"""A language as far as it is known without its grammar."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from biascore.languages.language import Language, SpeakerFrames

if TYPE_CHECKING:
    from biascore.languages.gender import GenderPair
    from biascore.languages.gender_rules.detector import RuleDetector


def language_with_rules(
    code: str, name: str, grammar: Path, frames: SpeakerFrames | None = None, readers: Path | None = None
) -> Language:
    """A language whose speaker gender and gender pairs a grammar file tells; read, like ``readers``, when first used."""

    @cache
    def detector() -> RuleDetector:
        from biascore.languages.gender_rules.detector import RuleDetector
        from biascore.languages.gender_rules.grammar import load_grammar

        return RuleDetector(load_grammar(grammar, code))

    def pair(masculine: str, feminine: str) -> GenderPair | None:
        from biascore.languages.gender import gender_pair

        return gender_pair(masculine, feminine, detector().grammar.pairs.exceptions)

    return Language(
        code, name, speaker_gender=detector, gender_pair=pair, speaker_frames=frames, readers=readers
    )
