"""A corpus and the pairs of words to swap in it, read from files, and the texts that a model is trained on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

import numpy as np

from biascore.basics.progress import Progress
from biascore.basics.suggest import did_you_mean
from biascore.basics.wording import listed
from biascore.errors import DataError, OptionsError, UnknownNameError
from biascore.files.paths import is_path, user_path
from biascore.files.reading import file_digest, read_text
from biascore.files.tables import read_table
from biascore.mitigation.swapping import Swapper
from biascore.stimuli import Catalogue, PairList

ENGLISH_PAIRS: Final = (
    "en/gender_swap/possessives",
    "en/gender_swap/pronouns",
    "en/gender_swap/titles",
    "en/shrestha2025/gendered",
    "en/gender_swap/forms",
)
"""The pairs of the paper, behind the pronouns and before the plurals that it does not list."""

_LINE_ENDS: Final = re.compile(r"\r\n?|\n")


class Method(StrEnum):
    """What a model is trained on.

    ``augmentation``: every text, and next to it the swapped one where that differs (counterfactual data augmentation,
    Lu et al. 2018). ``substitution``: each text swapped with probability one half (counterfactual data substitution,
    Maudslay et al. 2019). ``swapped``: the swapped texts alone, as Bartl et al. 2020 and Shrestha et al. 2025 train on
    the swapped GAP, a corpus in which both genders are equally frequent.
    """

    AUGMENTATION = "augmentation"
    SUBSTITUTION = "substitution"
    SWAPPED = "swapped"


@dataclass(frozen=True, slots=True)
class Corpus:
    """The texts of a file, one a line, without the blank lines; ``sha256`` is that of its bytes."""

    file: str
    sha256: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs to swap: where they are from (an address, or the name of a file) and the SHA-256 of that file."""

    source: str
    sha256: str
    listed: PairList


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """The texts to train on: of ``originals`` texts, ``changed`` hold a word with a partner, ``words`` in all."""

    texts: tuple[str, ...]
    originals: int
    changed: int
    words: int

    @property
    def counts(self) -> dict[str, Any]:
        """The numbers, for a record."""
        return {"texts": len(self.texts), **{k: v for k, v in asdict(self).items() if k != "texts"}}


def read_corpus(path: str | Path) -> Corpus:
    """A text file in UTF-8, also gzip, one text a line; raises DataError where it cannot be read or has no text."""
    place = user_path(path)
    lines = _LINE_ENDS.split(read_text(place, str(path)))
    texts = tuple(line.strip() for line in lines if line.strip())
    if not texts:
        raise DataError(f"{path} has no text, only blank lines. Give a file with one text a line")
    return Corpus(place.name, file_digest(place, str(path)), texts)


def read_pairs(name: str | Path, catalogue: Catalogue) -> Pairs:
    """Pairs by the address of a list (``en/shrestha2025/gendered``) or the path of a table with two columns.

    Raises UnknownNameError where there is neither, DataError for a table that is no list of pairs.
    """
    lists = {id.casefold(): id for id in catalogue.lists(section="pairs")}
    address = lists.get(str(name).casefold())
    if address is not None:
        found = catalogue.list_(address)
        assert isinstance(found, PairList), "a list of pairs"
        language, stem, _ = address.split("/")
        file = next(one for one in catalogue.files if (one.language, one.stem) == (language, stem))
        return Pairs(address, file.sha256, found)
    if not is_path(str(name)):
        raise UnknownNameError(
            f"there is no list of pairs {str(name)!r}, and no such file. {did_you_mean(str(name), lists.values())}See what "
            "there is with: biascore list wordlists"
        )
    return _pairs_of_table(user_path(name), str(name))


def _pairs_of_table(path: Path, display: str) -> Pairs:
    table = read_table(path, display, (), None)
    if len(table.columns) != 2:
        raise DataError(
            f"{display} has {len(table.columns)} column(s), {listed(table.columns)}, and pairs have two. Separate them by a "
            "comma, with a header that names the sides, such as: female,male"
        )
    table.check_filled(*table.columns)
    one, other = table.columns
    pairs = tuple((row.fields[one].strip(), row.fields[other].strip()) for row in table.rows)
    return Pairs(path.name, file_digest(path, display), PairList(path.name, pairs, (one, other)))


def counterfactual(
    corpus: Corpus,
    pairs: Sequence[Pairs],
    names: Sequence[Pairs],
    method: Method,
    seed: int,
    progress: Progress,
) -> Counterfactual:
    """The texts to train on, in the order of the corpus, each swapped text behind its original.

    Raises DataError where no text holds a word with a partner, for then nothing would be swapped.
    """
    swapper = Swapper((one.listed for one in pairs), (one.listed for one in names))
    swapped = []
    with progress.task(f"{corpus.file}: texts swapped", len(corpus.texts)) as advance:
        for text in corpus.texts:
            swapped.append(swapper(text))
            advance(1)
    changed = sum(one.words > 0 for one in swapped)
    if not changed:
        held = listed([one.source for one in (*pairs, *names)])
        raise DataError(
            f"{corpus.file}: none of its {len(corpus.texts):,} texts holds a word of {held}, so that nothing would be "
            "swapped. Name pairs of its language with --pairs"
        )
    texts: Iterable[str]
    match method:
        case Method.AUGMENTATION:
            both = zip(corpus.texts, swapped, strict=True)
            texts = [text for one, new in both for text in ([one, new.text] if new.words else [one])]
        case Method.SUBSTITUTION:
            drawn = np.random.default_rng([seed, len(swapped)]).random(len(swapped)) < 0.5
            texts = (
                new.text if swap else one for one, new, swap in zip(corpus.texts, swapped, drawn, strict=True)
            )
        case Method.SWAPPED:
            texts = (new.text for new in swapped)
    return Counterfactual(tuple(texts), len(swapped), changed, sum(one.words for one in swapped))


def method_of(name: str) -> Method:
    """The method of that name; raises OptionsError."""
    try:
        return Method(name)
    except ValueError:
        raise OptionsError(f"method={name!r} is none of: {', '.join(Method)}. Choose one of them") from None
