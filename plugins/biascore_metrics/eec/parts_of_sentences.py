"""What sentences of kind ``equity`` are assembled from: persons, words of emotions, templates and a grammar."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from biascore.api.kinds import Doubt, Stimuli


@dataclass(frozen=True, slots=True)
class Person:
    """A person that sentences speak of, by name or by a noun phrase.

    ``levels``: what is known of the person, by factor (``{"gender": "female"}``). ``forms``: the text by form, of which
    "base" is always there. ``variant``: the texts of templates that are meant for this person, where a template has one.
    """

    id: str
    levels: Mapping[str, str] = field(hash=False)
    forms: Mapping[str, str] = field(hash=False)
    variant: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", MappingProxyType(dict(self.levels)))
        object.__setattr__(self, "forms", MappingProxyType(dict(self.forms)))


@dataclass(frozen=True, slots=True)
class PersonList(Stimuli):
    """Persons of one kind, in the order of their source; all have levels of the same factors."""

    name: str
    kind: Literal["name", "noun phrase"]
    persons: tuple[Person, ...]
    source: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()
    doubtful: tuple[Doubt, ...] = ()

    def __len__(self) -> int:
        return len(self.persons)

    def contents(self) -> str:
        """The entries, as the terminal shows them."""
        cells: dict[str, list[str]] = {}
        for person in self.persons:
            cells.setdefault(", ".join(person.levels.values()), []).append(_spelt(person.forms))
        return "\n  ".join(f"{self.kind}, {levels}: {', '.join(people)}" for levels, people in cells.items())

    def entries(self) -> dict[str, Any]:
        """The entries, as JSON."""
        return {
            "kind": self.kind,
            "persons": [
                {"id": one.id, "levels": dict(one.levels), "forms": dict(one.forms), "variant": one.variant}
                for one in self.persons
            ],
        }


@dataclass(frozen=True, slots=True)
class EmotionWord:
    """A word of an emotion, for the templates with this slot; ``forms`` is its text by form ("base", "feminine", …)."""

    id: str
    emotion: str
    slot: str
    forms: Mapping[str, str] = field(hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "forms", MappingProxyType(dict(self.forms)))


@dataclass(frozen=True, slots=True)
class EmotionWords(Stimuli):
    """Words of emotions in the order of their source."""

    name: str
    words: tuple[EmotionWord, ...]
    source: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()
    doubtful: tuple[Doubt, ...] = ()

    def __len__(self) -> int:
        return len(self.words)

    def contents(self) -> str:
        """The entries, as the terminal shows them."""
        kinds: dict[str, list[str]] = {}
        for word in self.words:
            kinds.setdefault(f"{word.emotion} {{{word.slot}}}", []).append(_spelt(word.forms))
        return "\n  ".join(f"{kind}: {', '.join(words)}" for kind, words in kinds.items())

    def entries(self) -> dict[str, Any]:
        """The entries, as JSON."""
        return {
            "words": [
                {"id": word.id, "emotion": word.emotion, "slot": word.slot, "forms": dict(word.forms)}
                for word in self.words
            ]
        }


@dataclass(frozen=True, slots=True)
class EquityTemplate:
    """A sentence with slots ``{NAME}`` or ``{NAME:FORM}``; ``variants`` are its texts for persons of a variant."""

    id: str
    text: str
    variants: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "variants", MappingProxyType(dict(self.variants)))

    def text_for(self, person: Person) -> str:
        """The text that the person goes into."""
        return self.variants.get(person.variant, self.text)


@dataclass(frozen=True, slots=True)
class EquityTemplates(Stimuli):
    """Templates of persons and emotions in the order of their source."""

    name: str
    templates: tuple[EquityTemplate, ...]
    source: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()
    doubtful: tuple[Doubt, ...] = ()

    def __len__(self) -> int:
        return len(self.templates)

    def contents(self) -> str:
        """The entries, as the terminal shows them."""
        return "\n  ".join(
            f"{template.id}: {template.text}"
            + "".join(f" | {variant}: {text}" for variant, text in template.variants.items())
            for template in self.templates
        )

    def entries(self) -> dict[str, Any]:
        """The entries, as JSON."""
        return {
            "templates": [
                {"id": template.id, "text": template.text, "variants": dict(template.variants)}
                for template in self.templates
            ]
        }


@dataclass(frozen=True, slots=True)
class GrammarRule:
    """What whole words of a sentence become, everywhere or before words that start with one of ``before``.

    ``not_before`` are starts that are excepted. ``joined``: the space after it goes.
    """

    text: str
    becomes: str
    before: tuple[str, ...] = ()
    not_before: tuple[str, ...] = ()
    joined: bool = False


@dataclass(frozen=True, slots=True)
class Grammar(Stimuli):
    """What a language does to a sentence that is assembled from parts.

    ``agreement``: by factor, the form that a level takes (``{"gender": {"female": "feminine"}}``). ``pieces``: by name,
    parts of sentences by form (``{"self": {"feminine": "herself"}}``). ``rules`` are applied in their order, then the
    first letter becomes a ``capital`` and ``final`` is added.
    """

    name: str
    capital: bool
    final: str
    agreement: Mapping[str, Mapping[str, str]] = field(default_factory=dict, hash=False)
    pieces: Mapping[str, Mapping[str, str]] = field(default_factory=dict, hash=False)
    rules: tuple[GrammarRule, ...] = ()
    source: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()
    doubtful: tuple[Doubt, ...] = ()

    def __post_init__(self) -> None:
        for name in ("agreement", "pieces"):
            tables = {key: MappingProxyType(dict(table)) for key, table in getattr(self, name).items()}
            object.__setattr__(self, name, MappingProxyType(tables))

    def __len__(self) -> int:
        return len(self.pieces) + len(self.rules)

    def contents(self) -> str:
        """The entries, as the terminal shows them."""
        ends = [f"a capital at the start: {'yes' if self.capital else 'no'}", f"at the end: {self.final!r}"]
        agrees = [f"{by}: {_spelt(forms, ' = ')}" for by, forms in self.agreement.items()]
        pieces = [f"{{{name}}}: {_spelt(forms, ' ')}" for name, forms in self.pieces.items()]
        return "\n  ".join([*ends, *agrees, *pieces, *map(_rule, self.rules)])

    def entries(self) -> dict[str, Any]:
        """The entries, as JSON."""
        return {
            "capital": self.capital,
            "final": self.final,
            "agreement": {factor: dict(forms) for factor, forms in self.agreement.items()},
            "pieces": {piece: dict(forms) for piece, forms in self.pieces.items()},
            "rules": [asdict(rule) for rule in self.rules],
        }


def _spelt(forms: Mapping[str, str], between: str = "") -> str:
    """The different forms, ``he/him``; with their names where there is something to put between."""
    if between:
        return ", ".join(f"{name}{between}{text}" for name, text in forms.items())
    return "/".join(dict.fromkeys(forms.values()))


def _rule(rule: GrammarRule) -> str:
    before = f" before {', '.join(rule.before)}" if rule.before else ""
    unless = f" but not before {', '.join(rule.not_before)}" if rule.not_before else ""
    return f"{rule.text} becomes {rule.becomes}{before}{unless}"
