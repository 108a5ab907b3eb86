"""Kind ``geneval``: English sentences that state a gender, each with a reference in it and one in the other gender.

They are read from the files of MT-GenEval, a sentence a line: one of them is named, and those that belong to it lie next to
it. Judged are the words that only one gender's reference has (Currey et al. 2022, section 5).
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Final, Literal, Self, TypeAlias

from biascore.api.formats import DataFile, DataFormat, TableOptions, read_text, source_digest
from biascore.api.kinds import Rows
from biascore.api.stimuli import Test
from biascore.api.support import listed
from biascore.errors import DataError

Outcome: TypeAlias = Literal["correct", "incorrect", "both", "neither"]
OUTCOMES: Final[tuple[Outcome, ...]] = ("correct", "incorrect", "both", "neither")

SEPARATOR: Final = "<sep>"
_SEPARATOR: Final = re.compile(r"<\s*sep\s*>", re.IGNORECASE)
_NO_PUNCTUATION: Final = str.maketrans(string.punctuation, " " * len(string.punctuation))
_PRONOUNS: Final = {
    "feminine": frozenset({"she", "her", "hers", "herself"}),
    "masculine": frozenset({"he", "him", "his", "himself"}),
}


def words_of(text: str) -> frozenset[str]:
    """The words of a text as the published code has them: in lower case, ASCII punctuation read as spaces."""
    return frozenset(text.lower().translate(_NO_PUNCTUATION).split())


def own_words(own: str, other: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words that one reference has alone, and those that the reference of the other gender has alone."""
    first, second = words_of(own), words_of(other)
    return first - second, second - first


def outcome(translation: str, own: frozenset[str], other: frozenset[str]) -> Outcome:
    """Which gender's words a translation holds: its own, the other's, both, or neither."""
    found = words_of(translation)
    return outcome_of(found & own, found & other)


def outcome_of(own: frozenset[str], other: frozenset[str]) -> Outcome:
    """The outcome of a translation that holds these words of its own gender and these of the other."""
    if own:
        return "both" if other else "correct"
    return "incorrect" if other else "neither"


def pronoun_gender(english: str) -> str:
    """``feminine`` or ``masculine``, if English pronouns are of that gender alone; else an empty text."""
    found = [gender for gender, pronouns in _PRONOUNS.items() if words_of(english) & pronouns]
    return found[0] if len(found) == 1 else ""


def last_part(text: str) -> str:
    """What follows the last separator of context and sentence; the whole text without one."""
    return _SEPARATOR.split(text)[-1].strip()


FEMININE: Final = "feminine"
MASCULINE: Final = "masculine"
SPEAKER: Final = "speaker"
NOT_TOLD: Final = "gender not shown"
SAME: Final = "the two references have the same words"
NO_OWN: Final = "the {} reference has no word of its own"


@dataclass(frozen=True, slots=True)
class Line:
    """A source with its reference and the one of the other gender; ``gender`` is empty where the source does not tell it.

    ``pair``: lines of one number are the same sentence in both genders. ``cluster``: what lines go together by, such as
    the document that they are from; empty where it is not known.
    """

    source: str
    own: str
    other: str
    gender: str
    pair: int
    cluster: str = ""

    def __str__(self) -> str:
        return f"{self.source} | {self.own} | {self.other}"

    @property
    def together(self) -> str:
        """What lines that are no independent observations have in common: the cluster, or else the pair."""
        return self.cluster or f"pair {self.pair}"

    @property
    def untold(self) -> str:
        """Why its references cannot show a gender; empty where both have a word of their own."""
        own, other = own_words(self.own, self.other)
        if own and other:
            return ""
        if not own and not other:
            return SAME
        opposite = {FEMININE: MASCULINE, MASCULINE: FEMININE}.get(self.gender, "other")
        return NO_OWN.format(opposite if own else self.gender or "given")

    def asked(self, *, context: bool) -> str:
        """What is translated: the source with the sentence before it, or without."""
        return self.source if context else last_part(self.source)


class SpokenLine(Line):
    """A sentence of a speaker whose gender it states; there are no references: the gender of a translation is read."""

    __slots__ = ()

    def __str__(self) -> str:
        return self.source

    @property
    def untold(self) -> str:
        """Empty, as no reference is needed."""
        return ""


class GenevalLines(Rows[Line]):
    """Lines in the order of their source; of sentences in both genders the feminine one first."""

    key = "lines"

    def texts(self) -> Iterator[str]:
        """The sources; the references are in another language."""
        return (line.source for line in self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class GenevalTest(Test):
    """Kind ``geneval``. ``target``: the language of the references, empty without any, where speakers state their gender.

    ``files``: (path, SHA-256) of each file read.
    """

    planted: ClassVar[str] = "biascore_metrics.mt_geneval.planted:Translations"

    lines: GenevalLines
    part: Literal["sentences", "context", "speaker"]
    target: str
    files: tuple[tuple[str, str], ...] = ()

    @property
    def other_files(self) -> tuple[Self, ...]:
        """The test as of each further file that it was read from, so that a run records these."""
        return tuple(
            replace(self, file=path, sha256=sha256) for path, sha256 in self.files if path != self.file
        )

    def to_answer(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """A translation of each source, as ``answers:`` reads it."""
        return ("text", "translation"), tuple(dict.fromkeys(line.source for line in self.lines.rows))


TARGETS: Final = ("ar", "de", "es", "fr", "hi", "it", "pt", "ru")
_NAME: Final = re.compile(
    r"(?P<style>(?:geneval-)?(?P<part>sentences|context)-(?:wikiprofessions-)?)"
    r"(?P<what>feminine|masculine|2to1|original|flipped)-(?P<split>\w+)\.en_(?P<target>\w+)\.\w+(?:\.gz)?"
)
_WANTED: Final = {
    "sentences": (("feminine", "en"), ("feminine", ""), ("masculine", "en"), ("masculine", "")),
    "context": (("2to1", "en"), ("original", ""), ("flipped", "")),
}
"""By part, the files that are read and their language, empty for the target."""
CLUSTERS: Final = "clusters"


class MtGenevalFormat(DataFormat[TableOptions]):
    """Four files of sentences, or three of sentences with a context, found by the name of one of them; also as ``.gz``.

    A further file, ``…-clusters-….en_it.txt``, may name the document, or another cluster, of each line.
    """

    id: ClassVar[str] = "mt-geneval"
    summary: ClassVar[str] = "English sentences with references in two genders: the files of MT-GenEval"
    example: ClassVar[str] = "mt-geneval:data/sentences/test/geneval-sentences-feminine-test.en_it.it"

    def read(self, file: DataFile) -> Test:
        """Read the file and those that belong to it; raises DataError where one is missing or lines do not match."""
        named = self._named(file)
        part, target = named["part"], named["target"]
        places = []
        for what, language in (*_WANTED[part], (CLUSTERS, "txt")):
            name = f"{named['style']}{what}-{named['split']}.en_{target}.{language or target}"
            if found := _next_to(file, name):
                places.append(found)
            elif what != CLUSTERS:
                raise DataError(
                    f"{file.display}: {name} belongs to it, and does not lie next to it. Download the whole folder"
                )
        texts = [self._lines(path, display) for path, display in places]
        counts = [len(lines) for lines in texts]
        if len(set(counts)) > 1:
            shown = ", ".join(f"{Path(d).name} {n}" for (_, d), n in zip(places, counts, strict=True))
            raise DataError(
                f"{file.display}: line i of each file is the same sentence, and they have unequal numbers of lines: {shown}"
                ". Fetch all of them again, from one version of MT-GenEval"
            )
        own = texts[: len(_WANTED[part])]
        lines = tuple(_sentences(own) if part == "sentences" else _contexts(own, places[0][1]))
        for labels in texts[len(own) :]:
            lines = tuple(replace(line, cluster=labels[line.pair].strip()) for line in lines)
        unread = {
            place: f"marks words with tags in {Path(display).name}"
            for (_, display), some in zip(places, own, strict=False)
            for place, text in enumerate(some)
            if _tagged(text)
        }
        lines = tuple(line for line in lines if line.pair not in unread)
        return GenevalTest(
            **file.stated,
            kind="geneval",
            title=f"MT-GenEval, {part} ({named['split']}), {target}",
            concept="gender",
            positive_means="feminine sentences keep their gender in translation more often than masculine ones",
            lines=GenevalLines(
                "lines",
                lines,
                source=file.display,
                unread=tuple((f"line {place + 1}", why) for place, why in sorted(unread.items())),
            ),
            part="sentences" if part == "sentences" else "context",
            target=target,
            files=tuple((display, source_digest(path, display)) for path, display in places),
        )

    def _named(self, file: DataFile) -> dict[str, str]:
        """What the name of the file says; raises DataError for another name or language."""
        found = _NAME.fullmatch(Path(file.display.partition("@")[0]).name)
        if found is None or found["what"] not in dict(_WANTED[found["part"]]):
            raise DataError(
                f"{file.display} is not named as a file of MT-GenEval, by which the others are found. Give one such as "
                "geneval-sentences-feminine-test.en_it.it or geneval-context-wikiprofessions-2to1-test.en_it.en"
            )
        if found["target"] not in TARGETS:
            raise DataError(
                f"{file.display}: MT-GenEval counts words in translations to {listed(TARGETS)}, and this file is to "
                f"{found['target']}. Give a file of one of these languages"
            )
        if file.language.partition("-")[0] != "en":
            raise DataError(
                f"{file.display}: the sentences are English, and the language is given as {file.language}. Give en; the "
                "target language is in the file name"
            )
        return found.groupdict()

    def _lines(self, path: Path, display: str) -> list[str]:
        text = read_text(path, display, encoding=self.options.encoding, flag="-o data.encoding")
        lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
        blank = [number for number, line in enumerate(lines, start=1) if not line.strip()]
        if blank:
            raise DataError(
                f"{display} is blank on line{'s' * (len(blank) > 1)} {listed(blank)}. Fetch it again"
            )
        tagged = [number for number, line in enumerate(lines, start=1) if _tagged(line)]
        if 2 * len(tagged) > len(lines):
            raise DataError(
                f"{display}, line {tagged[0]}: marks words with tags. Give the files of the folder above annotated"
            )
        return lines


def _tagged(line: str) -> bool:
    return "<F>" in line or "<M>" in line


def _next_to(file: DataFile, name: str) -> tuple[Path, str] | None:
    """Path and display of a file of this name next to the named one, packed or not, if there is one."""
    own = Path(file.display)
    for one in (own.name, name, f"{name}.gz"):
        if one.removesuffix(".gz") == name and (path := file.path.with_name(one)).is_file():
            return path, str(own.with_name(one))
    return None


def _sentences(texts: Sequence[Sequence[str]]) -> Iterator[Line]:
    for pair, (she, feminine, he, masculine) in enumerate(zip(*texts, strict=True)):
        yield Line(she, feminine, masculine, FEMININE, pair)
        yield Line(he, masculine, feminine, MASCULINE, pair)


def _contexts(texts: Sequence[Sequence[str]], display: str) -> Iterator[Line]:
    apart = [number for number, source in enumerate(texts[0], start=1) if last_part(source) == source.strip()]
    if apart:
        raise DataError(
            f"{display}: a line is context {SEPARATOR} sentence, and there is no {SEPARATOR} on line"
            f"{'s' * (len(apart) > 1)} {listed(apart)}. Fetch it again"
        )
    for pair, (source, original, flipped) in enumerate(zip(*texts, strict=True)):
        yield Line(source, original, flipped, pronoun_gender(source), pair)
