"""MBBQ (Neplenbroek et al. 2024): BBQ in English, Spanish, Dutch and Turkish."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Final

from biascore_metrics.bbq.formats.bbq import ITEM, LABELS, asked_of, described, stereotyped_groups
from biascore_metrics.bbq.formats.family import UNKNOWN, Asked, Family
from biascore_metrics.bbq.formats.rows import Row

_WOMEN: Final = ("f", "woman", "girl", "vrouw", "meisje", "kız", "kadın", "chica", "mujer", "maestra")
_MEN: Final = ("m", "man", "boy", "jongen", "erkek çocuk", "adam", "chico", "hombre", "maestro")
_SAME: Final = {
    **dict.fromkeys(_WOMEN, "F"),
    **dict.fromkeys(_MEN, "M"),
    "low ses": "lowSES",
    "high ses": "highSES",
}
"""What stands for one group in the file: the rows of one subset name groups in English, persons in their language."""


class Mbbq(Family):
    """The files of Veranep/MBBQ: ``Age_nl.jsonl`` and so on, and the control set, where persons are named."""

    id: ClassVar[str] = "mbbq"
    summary: ClassVar[str] = (
        "questions with options, MBBQ: English, Spanish, Dutch, Turkish (a file or a folder)"
    )
    example: ClassVar[str] = "mbbq:Age_nl.jsonl"
    title: ClassVar[str] = "MBBQ"
    languages: ClassVar[tuple[str, ...]] = ("en", "es", "nl", "tr")
    item: ClassVar[tuple[str, ...]] = ITEM
    several_prompts: ClassVar[bool] = True

    def asked(self, row: Row) -> Asked:
        """What a row asks; the target is the one option whose group is one of the stereotyped ones."""
        infos = described(row)
        known = {_plain(one) for one in stereotyped_groups(row)}
        asked = asked_of(row, self.named(row), infos, [_plain(group) in known for _, group in infos])
        persons = [
            (text, answer)
            for (text, _), answer, group in zip(infos, asked.texts, asked.groups, strict=True)
            if group != UNKNOWN
        ]
        named = all(text == answer and text[:1].isupper() for text, answer in persons)
        return replace(asked, names=named or row.whole("question_index") > LABELS)


def _plain(group: str) -> str:
    return _SAME.get(group.lower(), group)
