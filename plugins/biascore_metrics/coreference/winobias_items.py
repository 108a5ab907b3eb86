"""The items of WinoBias: pairs of sentences in which a pronoun refers to one of two occupations, and their files.

The files are ``{pro,anti}_stereotyped_type{1,2}.txt.{dev,test}``, paired line by line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final, Literal, NamedTuple

from pydantic import BeforeValidator

from biascore.api.formats import DataFile, DataFormat, TableOptions, Test, read_text
from biascore.api.kinds import Rows
from biascore.api.queries import Span
from biascore.api.support import listed
from biascore.errors import DataError
from biascore_metrics.coreference.files import ReadWith, beside, named, next_to

MALE, FEMALE = "male", "female"
PRONOUNS: Final = {
    **dict.fromkeys(("he", "him", "his", "himself"), MALE),
    **dict.fromkeys(("she", "her", "hers", "herself"), FEMALE),
}
"""Their gender."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """A sentence, the ``mention`` that its pronoun refers to, without an article, and the places of its pronouns.

    They are all of one gender; the first one is asked about.
    """

    text: str
    mention: str
    pronouns: tuple[Span, ...]

    @property
    def pronoun(self) -> str:
        """The first pronoun."""
        return self.text[slice(*self.pronouns[0])]

    @property
    def gender(self) -> str:
        """Gender of the pronouns."""
        return PRONOUNS[self.pronoun.lower()]

    @property
    def frame(self) -> tuple[str, ...]:
        """What stands between the pronouns."""
        ends = [0, *(place for span in self.pronouns for place in span), len(self.text)]
        return tuple(self.text[start:end] for start, end in zip(ends[::2], ends[1::2], strict=True))


@dataclass(frozen=True, slots=True)
class PronounPair:
    """A sentence whose pronoun agrees with the stereotype of the occupation that it refers to, and one where it does not.

    ``item`` is "type1/12", ``part`` "type 1" or "type 2". ``other``: the other occupation of the sentences, without an
    article. ``problem``: why their log odds cannot be compared, if so.
    """

    item: str
    part: str
    pro: Resolved
    anti: Resolved
    other: str
    problem: str = ""

    def __str__(self) -> str:
        return f"{self.pro.text} | {self.anti.text}"

    @property
    def masculine(self) -> str:
        """The occupation that is stereotyped as men's."""
        return self.pro.mention if self.pro.gender == MALE else self.other

    @property
    def feminine(self) -> str:
        """The other one."""
        return self.other if self.pro.gender == MALE else self.pro.mention

    @property
    def occupations(self) -> str:
        """Both: sentences about them are no independent observations."""
        return f"{self.masculine} and {self.feminine}".lower()


class PronounPairs(Rows[PronounPair]):
    """Pairs in the order of their files."""

    key = "pairs"


@dataclass(frozen=True, slots=True, kw_only=True)
class WinoBiasTest(Test):
    """Kind ``winobias``; ``read_with`` are the files next to the one that it names."""

    planted: ClassVar[str] = "biascore_metrics.coreference.planted:WinoBias"

    pairs: PronounPairs
    read_with: tuple[ReadWith, ...] = ()


_NAME: Final = re.compile(r"(pro|anti)_stereotyped_type([12])\.txt\.(\w+)")
_LINE: Final = re.compile(r"\s*(\d{1,9})\s+(\S.*)")
_BRACKETS: Final = re.compile(r"\[([^\[\]]*)\]")
_ARTICLE: Final = re.compile(r"(?:the|a|an)\s+", re.IGNORECASE)
NO_OTHER: Final = "no other mention of the files is in its sentences"
SEVERAL: Final = "several other mentions of the files are in its sentences"
UNLIKE: Final = "its two sentences differ by more than the pronouns"
LISTED: Final = 3


def _as_text(value: object) -> object:
    """A command line and TOML make a number of 1."""
    return str(value) if type(value) is int else value


class WinoBiasOptions(TableOptions):
    """``types``: which of the two types of sentences are read; "both": those that are in the folder."""

    types: Annotated[Literal["both", "1", "2"], BeforeValidator(_as_text)] = "both"


class Numbered(NamedTuple):
    """A line of a file: its number, and the sentence or what is wrong with it."""

    number: int
    said: Resolved | str


class WinoBiasFormat(DataFormat[WinoBiasOptions]):
    """The files of WinoBias in one folder, each line a number and a sentence with mention and pronoun in brackets."""

    id: ClassVar[str] = "winobias"
    summary: ClassVar[str] = (
        "the folder of WinoBias, or one of its files: lines with mention and pronoun in brackets"
    )
    example: ClassVar[str] = "winobias:wino/data"
    in_folder: ClassVar[tuple[str, ...]] = tuple(
        f"pro_stereotyped_type{kind}.txt.{split}{end}"
        for split in ("dev", "test")
        for kind in (1, 2)
        for end in ("", ".gz")
    )

    def read(self, file: DataFile) -> Test:
        """Read the files of one split and pair their lines; raises DataError as `DataFormat.read` says."""
        file.check_english("WinoBias")
        found = _NAME.fullmatch(named(file))
        if found is None:
            raise DataError(
                f"{file.display} is not called as a file of WinoBias is, so that the one it is paired with cannot be found. "
                "Call them pro_stereotyped_type1.txt.dev and anti_stereotyped_type1.txt.dev"
            )
        _, own, split = found.groups()
        types = [own, *("12".replace(own, ""))] if self.options.types == "both" else [self.options.types]
        files, lines = [], []
        for kind in sorted(types):
            names = [f"{side}_stereotyped_type{kind}.txt.{split}" for side in ("pro", "anti")]
            if kind != own and self.options.types == "both" and not any(beside(file, name) for name in names):
                continue
            two = [next_to(file, *of) for of in (names, names[::-1])]
            files += two
            lines.append((kind, self._pairs(two)))
        unread = [
            (f"type{kind}/{pro.number}", problem)
            for kind, both in lines
            for pro, anti in both
            if (problem := _problem(pro, anti))
        ]
        pairs = _paired(lines)
        if not pairs:
            raise DataError(
                f"{file.display} has no usable pair: {unread[0][0]} {unread[0][1]}. Correct the file"
            )
        kinds = " and ".join(kind for kind, _ in lines)
        note = f"{len(pairs)} pairs of type {kinds}, from {listed([named(one) for one in files])}."
        if unread:
            first = "; ".join(f"{where} {why}" for where, why in unread[:LISTED])
            note += f" Left out: {len(unread)} ({first})."
        return WinoBiasTest(
            **file.stated,
            kind="winobias",
            title=f"WinoBias, {split}, type {kinds}",
            concept="gender",
            positive_means="pronouns are resolved as occupations are stereotyped",
            notes=(note,),
            pairs=PronounPairs("pairs", pairs, source=file.display, notes=(note,), unread=tuple(unread)),
            read_with=tuple(ReadWith(one.display, one.sha256) for one in files if one.path != file.path),
        )

    def _pairs(self, files: Sequence[DataFile]) -> list[tuple[Numbered, Numbered]]:
        pro, anti = (_lines(one, self.options.encoding) for one in files)
        if len(pro) != len(anti):
            raise DataError(
                f"{files[0].display} has {len(pro)} sentences and {files[1].display} {len(anti)}: they are paired line by "
                "line. Bring files of one edition, or complete the shorter one"
            )
        for one, other in zip(pro, anti, strict=True):
            if one.number != other.number:
                raise DataError(
                    f"{files[0].display} has the number {one.number} where {files[1].display} has {other.number}. Put "
                    "lines of one pair in one place"
                )
        return list(zip(pro, anti, strict=True))


def _lines(file: DataFile, encoding: str) -> list[Numbered]:
    """The lines of a file; raises DataError that lists those that cannot be used."""
    found: list[Numbered] = []
    wrong: list[str] = []
    numbers: set[int] = set()
    text = read_text(file.path, file.display, encoding=encoding, flag="-o data.encoding")
    for place, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        split = _LINE.fullmatch(line)
        said = _resolved(split[2]) if split else "does not begin with a number of at most nine digits"
        if not split or int(split[1]) in numbers:
            wrong.append(f"line {place} {f'has the number {split[1]} again' if split else said}")
        else:
            numbers.add(int(split[1]))
            found.append(Numbered(int(split[1]), said))
    if wrong:
        more = f"; and {len(wrong) - LISTED} more" if len(wrong) > LISTED else ""
        raise DataError(
            f"{file.display} has {len(wrong)} malformed line(s): {'; '.join(wrong[:LISTED])}{more}. Write lines such as: 1 "
            "[The developer] argued with the designer because [he] was late"
        )
    if not found:
        raise DataError(f"{file.display} has no sentence. Give a file with data")
    return found


def _problem(pro: Numbered, anti: Numbered) -> str:
    """Why two lines are no pair, if so."""
    for side, one in (("pro", pro), ("anti", anti)):
        if isinstance(one.said, str):
            return f"{one.said} in the {side}-stereotyped sentence"
    genders = [one.said.gender for one in (pro, anti) if isinstance(one.said, Resolved)]
    return f"has {genders[0]} pronouns in both sentences" if genders[0] == genders[1] else ""


def _resolved(line: str) -> Resolved | str:
    """The sentence without brackets, with its mention and pronouns; or what is wrong with it."""
    text, mentions, pronouns = "", [], []
    end = 0
    for match in _BRACKETS.finditer(line):
        inside = " ".join(match[1].split())
        text = _joined(text, line[end : match.start()])
        start = len(text)
        text += inside
        if inside.lower() in PRONOUNS:
            pronouns.append((start, len(text)))
        else:
            mentions.append(_ARTICLE.sub("", inside, count=1) if _ARTICLE.match(inside) else inside)
        end = match.end()
    text = _joined(text, line[end:]).rstrip()
    if "[" in text or "]" in text:
        return "has a bracket without its other half"
    if len(mentions) != 1 or not mentions[0]:
        return f"has {len(mentions)} mentions in brackets, and needs one"
    if not pronouns:
        return "has no pronoun (he, him, his, she, her, hers) in brackets"
    genders = {PRONOUNS[text[slice(*span)].lower()] for span in pronouns}
    if len(genders) > 1:
        return "has pronouns of both genders in brackets"
    return Resolved(text, mentions[0], tuple(pronouns))


def _joined(text: str, more: str) -> str:
    """Both texts with single spaces."""
    more = re.sub(r"\s+", " ", more)
    return text + (more.lstrip() if not text or text.endswith(" ") else more)


def _paired(lines: Sequence[tuple[str, Sequence[tuple[Numbered, Numbered]]]]) -> tuple[PronounPair, ...]:
    """All pairs, each with its other occupation: a mention that is right in another sentence of the files."""
    sentences = (one.said for _, pairs in lines for pair in pairs for one in pair)
    mentions = {said.mention.lower() for said in sentences if isinstance(said, Resolved)}
    longest = sorted(mentions, key=lambda mention: (-len(mention), mention))
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, longest))})\b", re.IGNORECASE)
    found = []
    for kind, pairs in lines:
        for pro, anti in pairs:
            one, two = pro.said, anti.said
            if isinstance(one, str) or isinstance(two, str) or one.gender == two.gender:
                continue
            there = {match[0].lower(): match[0] for match in pattern.finditer(one.text)}
            others = [there[name] for name in sorted(there.keys() - {one.mention.lower()})]
            same = one.frame == two.frame and one.mention.lower() == two.mention.lower()
            problem = SEVERAL if len(others) > 1 else NO_OTHER if not others else "" if same else UNLIKE
            other = others[0] if len(others) == 1 else ""
            found.append(PronounPair(f"type{kind}/{pro.number}", f"type {kind}", one, two, other, problem))
    return tuple(found)
