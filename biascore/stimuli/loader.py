"""Reading one stimuli file; every error names the file and, where it can be found, line and key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import TypedDict, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from biascore.basics.suggest import did_you_mean
from biascore.basics.wording import brief, few
from biascore.errors import StimuliError
from biascore.files.reading import read_toml
from biascore.stimuli.associations import AssociationsTest, AttributeGroup
from biascore.stimuli.lines import line_of
from biascore.stimuli.model import (
    Dimension,
    Doubt,
    FiseTest,
    PairList,
    Published,
    Sample,
    Samples,
    SamplesTest,
    SentenceList,
    SentencePair,
    SentencePairs,
    SentencePairsTest,
    Stereotype,
    Stimuli,
    StimuliFile,
    TemplateList,
    Test,
    WordForms,
    WordList,
)
from biascore.stimuli.nouns import GenderedNounsTest
from biascore.stimuli.references import group_list, noun_classes, reference_problems
from biascore.stimuli.schema import (
    KINDS,
    AssociationsEntry,
    DoubtEntry,
    FileEntry,
    FiseEntry,
    ListEntry,
    Meta,
    NounsEntry,
    PublishedEntry,
    SamplesTestEntry,
    SentencePairsTestEntry,
    TestEntry,
    WeatEntry,
)


def check_command(display: str) -> str:
    """The command that reads a file again, by its ``<language>`` folder's folder, or as its plugin does."""
    file = Path(display)
    return (
        f"biascore list tests --stimuli {quote(str(file.parent.parent))}"
        if file.exists()
        else "biascore plugins"
    )


def load_file(path: Path, display: str) -> StimuliFile:
    """Read and check one TOML file; ``display`` is how errors, tests and reports call it.

    Raises StimuliError for a file that cannot be read, is no UTF-8, no TOML, breaks the schema, or whose
    tests name a list that it does not hold.
    """
    try:
        toml = read_toml(path, display, StimuliError)
    except StimuliError as error:
        raise StimuliError(f"{error}. Then check it with: {check_command(display)}") from error
    try:
        entry = FileEntry.model_validate(toml.document)
    except ValidationError as error:
        problems = [(_key_path(details), _explain(details)) for details in error.errors()]
    else:
        problems = list(reference_problems(entry))
        if not problems:
            return _build(entry, path.stem, display, toml.sha256)
    lines = [
        _place(display, line_of(toml.text, key, toml.document), key) + problem for key, problem in problems
    ]
    raise StimuliError(
        brief("\n".join([*few(lines), f"Correct the file, then check it with: {check_command(display)}"]))
    )


def _place(display: str, line: int | None, key: Sequence[str | int]) -> str:
    at = f", line {line}" if line is not None else ""
    return f"{display}{at}, {_dotted(key)}: " if key else f"{display}{at}: "


def _dotted(key: Sequence[str | int]) -> str:
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in key]
    return "".join(parts).removeprefix(".")


def _key_path(details: ErrorDetails) -> tuple[str | int, ...]:
    if details["type"] in ("union_tag_invalid", "union_tag_not_found"):
        return (*_loc(details), "kind")
    return _loc(details)


def _loc(details: ErrorDetails) -> tuple[str | int, ...]:
    # pydantic marks an error in a dict's key with the pseudo-step "[key]"; the key itself stands before it.
    loc = tuple(step for step in details["loc"] if step != "[key]")
    # and it puts the kind of a test after its name.
    return (*loc[:2], *loc[3:]) if loc[0] == "tests" and len(loc) > 2 and loc[2] in KINDS else loc


def _explain(details: ErrorDetails) -> str:
    loc = _loc(details)
    in_test = len(loc) == 3 and loc[0] == "tests"
    match details["type"]:
        case "union_tag_not_found":
            return f"is missing; kinds of test are {', '.join(KINDS)}"
        case "union_tag_invalid":
            return f"{details['ctx']['tag']!r} is no kind of test. Known kinds: {', '.join(KINDS)}"
        case "missing" if in_test and loc[2] in WeatEntry.roles:
            return f"is missing; a test of kind weat names a list for each of {', '.join(WeatEntry.roles)}"
        case "too_long" | "missing" if loc[0] == "pairs" and isinstance(loc[-1], int):
            return "is no pair; a pair holds two words, one for each of the sides"
        case "missing":
            return "is missing"
        case "extra_forbidden":
            keys = _keys_beside(details["loc"])
            return f"is no key of this table. {did_you_mean(str(loc[-1]), keys)}".rstrip()
        case "literal_error":
            return f"is {details['input']!r}, but must be {details['ctx']['expected']}"
        case "tuple_type":
            return f"is {details['input']!r}, but must be a list in square brackets"
        case "model_type" | "dict_type":
            return f"is {details['input']!r}, but must be a table"
        case "string_type":
            return f"is {details['input']!r}, which is not a string; put it in quotation marks"
        case "string_pattern_mismatch" if loc[-1] == "language":
            return f"{details['input']!r} is no language code such as it, sr-Latn or pt-BR"
        case "string_pattern_mismatch" if details["loc"][-1] == "[key]":
            return f"{details['input']!r} is no name: use letters A-Z, digits and _ . + - (no space or slash)"
        case "string_pattern_mismatch" | "string_too_short":
            return f"{details['input']!r} is blank or holds characters that a name may not have"
        case "value_error":
            return details["msg"].removeprefix("Value error, ")
        case _:
            return details["msg"][0].lower() + details["msg"][1:]


def _keys_beside(loc: Sequence[str | int]) -> list[str]:
    """The keys that are allowed in the table that ``loc``, an unknown key, stands in."""
    table: type[BaseModel] = FileEntry
    for step in loc[:-1]:
        if loc[0] == "tests" and step in KINDS:
            table = _TESTS[str(step)]
        elif isinstance(step, str) and step in table.model_fields:
            annotation = table.model_fields[step].annotation
            inside = get_args(annotation) or (annotation,)
            table = next((t for t in inside if isinstance(t, type) and issubclass(t, BaseModel)), table)
    return [field.alias or name for name, field in table.model_fields.items()]


_TESTS: Mapping[str, type[BaseModel]] = {
    "weat": WeatEntry,
    "fise": FiseEntry,
    "sentence-pairs": SentencePairsTestEntry,
    "samples": SamplesTestEntry,
    "associations": AssociationsEntry,
    "nouns": NounsEntry,
}


@dataclass(frozen=True, slots=True)
class _Lists:
    """The lists of one file, by section and name."""

    words: dict[str, WordList]
    pairs: dict[str, PairList]
    templates: dict[str, TemplateList]
    sentences: dict[str, SentenceList]
    sentence_pairs: dict[str, SentencePairs]
    samples: dict[str, Samples]
    forms: dict[str, WordForms]

    @property
    def all(self) -> tuple[Stimuli, ...]:
        sections = (
            *(self.words, self.pairs, self.templates),
            *(self.sentences, self.sentence_pairs, self.samples, self.forms),
        )
        return tuple(one for section in sections for one in section.values())


def _build(entry: FileEntry, stem: str, display: str, sha256: str) -> StimuliFile:
    meta = entry.meta
    lists = _Lists(
        words={
            name: WordList(
                words=table.words,
                marks=table.marks,
                parts_of_speech=table.tags,
                families=table.families,
                **_about(name, table, meta),
            )
            for name, table in entry.lists.items()
        },
        pairs={
            name: PairList(
                pairs=table.pairs,
                sides=table.sides,
                not_before=table.not_before,
                **_about(name, table, meta),
            )
            for name, table in entry.pairs.items()
        },
        templates={
            name: TemplateList(
                sentences=table.sentences, slots=table.slots, words=table.words, **_about(name, table, meta)
            )
            for name, table in entry.templates.items()
        },
        sentences={
            name: SentenceList(of=table.of, **_about(name, table, meta))
            for name, table in entry.sentences.items()
        },
        sentence_pairs={
            name: SentencePairs(
                pairs=tuple(SentencePair(**pair.model_dump()) for pair in table.pairs),
                **_about(name, table, meta),
            )
            for name, table in entry.sentence_pairs.items()
        },
        samples={
            name: Samples(
                stereotypes=tuple(Stereotype(**one.model_dump()) for one in table.stereotypes),
                samples=tuple(Sample(**sample.model_dump()) for sample in table.samples),
                **_about(name, table, meta),
            )
            for name, table in entry.samples.items()
        },
        forms={
            name: WordForms(
                pieces=table.pieces, groups=table.groups, words=table.words, **_about(name, table, meta)
            )
            for name, table in entry.forms.items()
        },
    )
    return StimuliFile(
        display=display,
        stem=stem,
        sha256=sha256,
        language=meta.language,
        title=meta.title,
        source=meta.source,
        licence=meta.licence,
        doi=meta.doi,
        notes=meta.notes,
        lists=lists.all,
        tests=tuple(_test(name, test, meta, lists, display, sha256) for name, test in entry.tests.items()),
    )


class _About(TypedDict):
    name: str
    source: str
    licence: str
    notes: tuple[str, ...]
    doubtful: tuple[Doubt, ...]


def _about(name: str, table: ListEntry, meta: Meta) -> _About:
    """What every list says of itself, whatever it holds."""
    return {
        "name": name,
        "source": table.source or meta.source,
        "licence": table.licence or meta.licence,
        "notes": table.notes,
        "doubtful": _doubts(table.doubtful),
    }


class _AboutTest(TypedDict):
    id: str
    kind: str
    language: str
    title: str
    concept: str
    source: str
    licence: str
    doi: str | None
    notes: tuple[str, ...]
    published: tuple[Published, ...]
    file: str
    sha256: str


def _test(name: str, entry: TestEntry, meta: Meta, lists: _Lists, display: str, sha256: str) -> Test:
    about: _AboutTest = {
        "id": f"{meta.language}/{name}",
        "kind": entry.kind,
        "language": meta.language,
        "title": entry.title,
        "concept": entry.concept,
        "source": entry.source or meta.source,
        "licence": entry.licence or meta.licence,
        "doi": entry.doi or meta.doi,
        "notes": entry.notes,
        "published": tuple(_published(figure) for figure in entry.published),
        "file": display,
        "sha256": sha256,
    }
    match entry:
        case WeatEntry():
            roles = {role: lists.words[getattr(entry, role)] for role in entry.roles}
            return Test(roles=roles, positive_means=entry.positive_means, **about)
        case FiseEntry():
            dimensions, affect = (
                tuple(Dimension(d.name, lists.words[d.A], lists.words[d.B]) for d in entries)
                for entries in (entry.dimensions, entry.affect)
            )
            return FiseTest(
                targets=lists.words.get(entry.targets) or lists.pairs[entry.targets],
                dimensions=dimensions,
                affect=affect,
                **about,
            )
        case SentencePairsTestEntry():
            pairs = lists.sentence_pairs[entry.pairs]
            return SentencePairsTest(pairs=pairs, positive_means=entry.positive_means, **about)
        case SamplesTestEntry():
            samples = lists.samples[entry.samples]
            return SamplesTest(samples=samples, positive_means=entry.positive_means, **about)
        case AssociationsEntry():
            return _associations(entry, lists, about)
        case NounsEntry():
            return GenderedNounsTest(classes=noun_classes(entry, lists.words), **about)


def _associations(entry: AssociationsEntry, lists: _Lists, about: _AboutTest) -> AssociationsTest:
    groups, pairs = [], {}
    for name, wanted in entry.groups.items():
        listed, side = group_list(wanted, lists.words, lists.pairs)
        if side is None:
            groups.append(AttributeGroup(name, lists.words[listed].words))
            continue
        pairs[listed] = found = lists.pairs[listed]
        groups.append(
            AttributeGroup(name, tuple(pair[found.sides.index(side)] for pair in found.pairs), listed)
        )
    return AssociationsTest(
        templates=tuple(lists.templates[name] for name in entry.templates),
        targets=lists.words[entry.targets],
        opposites=lists.words[entry.opposites] if entry.opposites else None,
        groups=tuple(groups),
        choices={
            slot: tuple(word for name in names for word in lists.words[name].words)
            for slot, names in entry.choices.items()
        },
        forms=lists.forms[entry.forms] if entry.forms else None,
        pairs=tuple(pairs.values()),
        positive_means=entry.positive_means or "",
        **about,
    )


def _doubts(entries: Sequence[DoubtEntry]) -> tuple[Doubt, ...]:
    return tuple(Doubt(printed=e.printed, note=e.note, proposed=e.proposed) for e in entries)


def _published(entry: PublishedEntry) -> Published:
    return Published(
        what=entry.what,
        value=entry.value,
        model=entry.model,
        source=entry.source,
        comparable=entry.comparable,
        p=entry.p,
        note=entry.note,
    )
