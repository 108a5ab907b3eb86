"""The grammar file: word lists, gendered forms and the rules that tie them to the speaker.

In lists, ``"-la"`` is an ending and ``"bol"`` a whole word; both are regular expressions in lower case.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, Field, ValidationError

from biascore.errors import GrammarError
from biascore.frozen import Frozen, FrozenMap
from biascore.gender import Gender

Words = tuple[str, ...]
"""Whole words (``"bol"``) and endings (``"-la"``), as regular expressions in lower case."""

_LOOK: Final = re.compile(r"(left|right)(?: ([1-9]\d?))?|here")


def _check_look(looks: tuple[str, ...]) -> tuple[str, ...]:
    for look in looks:
        if not _LOOK.fullmatch(look):
            raise ValueError(f"{look!r} is none of: here, left, right, left 3, right 3")
    return looks


class Form(Frozen):
    """A form of words that shows gender; words and endings under ``never`` are no such form."""

    masculine: Words = ()
    feminine: Words = ()
    never: Words = ()


class Rule(Frozen):
    """Where a form that agrees with the speaker stands.

    From each word of a list in ``anchor`` (none: from each word of the form itself) the rule looks in the
    directions of ``look``, in this order, over at most the given number of words and never past the end of
    the clause, for the nearest word of a form in ``find``, and takes the first it meets. It stops before a
    word of a list or form in ``halt``.
    """

    name: str
    anchor: tuple[str, ...] = ()
    find: tuple[str, ...] = Field(min_length=1)
    look: Annotated[tuple[str, ...], Field(min_length=1), AfterValidator(_check_look)]
    halt: tuple[str, ...] = ()
    """Lists or forms before which the rule stops looking."""
    over: tuple[str, ...] = ()
    """Where given, the rule looks past words of these lists or forms only."""
    unless_clause_has: tuple[str, ...] = ()
    """Lists or forms that switch the rule off in their clause: another subject, say."""
    needs_in_clause: tuple[str, ...] = ()
    """Lists or forms without which the rule does nothing in a clause."""
    unless_anchor_after: tuple[str, ...] = ()
    """An anchor is none directly after a word of these lists."""
    unless_after: tuple[str, ...] = ()
    """A form does not count directly after a word of these lists: a demonstrative, say."""
    unless_before: tuple[str, ...] = ()
    """A form does not count directly before a word of these lists: "person", which hides the speaker."""
    not_attributive: bool = False
    """A form does not count before a word of the form ``noun`` that agrees with it."""
    fallback: bool = False
    """Used only where the rules before it found nothing."""


class Pairs(Frozen):
    """Words that may differ between the versions of a sentence, and differ in more than gender."""

    never: tuple[tuple[str, str], ...] = ()

    @property
    def exceptions(self) -> frozenset[frozenset[str]]:
        """The pairs in either order."""
        return frozenset(frozenset(pair) for pair in self.never)


class Grammar(Frozen):
    """All that a detector knows of one language."""

    language: str
    include: tuple[str, ...] = ()
    abbreviations: tuple[str, ...] = ()
    letters: FrozenMap[str] = Field(default_factory=dict)
    """Letters that are replaced before a word is looked up: another script, look-alikes."""
    words: FrozenMap[Words] = Field(default_factory=dict)
    """Closed lists by name; ``clause`` holds words that begin a clause, ``and`` those that join equals."""
    forms: FrozenMap[Form] = Field(default_factory=dict)
    rules: tuple[Rule, ...] = ()
    pairs: Pairs = Pairs()


def load_grammar(path: Path) -> Grammar:
    """The grammar in a TOML file; lists of the files it includes come before its own.

    Raises GrammarError, with the file and the key, where one cannot be read or names what is not there.
    """
    try:
        grammar = Grammar.model_validate(_read(path, ()))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise GrammarError(f"{path}: {place}: {first['msg']}. See docs/speaker-gender.md") from error
    _check_names(grammar, path)
    return grammar


def expression(words: Iterable[str]) -> re.Pattern[str]:
    """Matches (``fullmatch``) any of the words and endings; raises re.error for a bad expression."""
    parts = [f".*(?:{word[1:]})" if word.startswith("-") else word for word in words]
    return re.compile("|".join(f"(?:{part})" for part in parts) or r"(?!)")


def _read(path: Path, above: tuple[Path, ...]) -> dict[str, Any]:
    if path in above:
        raise GrammarError(f"{path} includes itself. Remove it from 'include'")
    try:
        own = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise GrammarError(f"{path} cannot be read as TOML: {error}. Mend or restore the file") from error
    merged: dict[str, Any] = {}
    for name in own.get("include", ()):
        merged = _merge(merged, _read(path.parent / str(name), (*above, path)))
    return _merge(merged, own)


def _merge(base: Any, own: Any) -> Any:
    """Tables are merged key by key, lists joined, single values replaced."""
    if isinstance(base, Mapping) and isinstance(own, Mapping):
        return {**base, **{key: _merge(base[key], own[key]) if key in base else own[key] for key in own}}
    return [*base, *own] if isinstance(base, list) and isinstance(own, list) else own


def _check_names(grammar: Grammar, path: Path) -> None:
    known = {*grammar.words, *grammar.forms}
    twice = set(grammar.words) & set(grammar.forms)
    if twice:
        raise GrammarError(f"{path}: {min(twice)!r} names a list and a form. Rename one of them")
    for rule in grammar.rules:
        named = [*rule.anchor, *rule.halt, *rule.over, *rule.unless_clause_has]
        named += [*rule.needs_in_clause, *rule.unless_anchor_after]
        named += [*rule.unless_after, *rule.unless_before]
        for name in named:
            if name not in known:
                raise GrammarError(f"{path}: rule {rule.name!r} names {name!r}. There are: {_shown(known)}")
        for name in rule.find:
            if name not in grammar.forms:
                raise GrammarError(
                    f"{path}: rule {rule.name!r} finds {name!r}, which is no form. "
                    f"There are: {_shown(grammar.forms)}"
                )
    lists = {f"words.{name}": words for name, words in grammar.words.items()}
    for name, form in grammar.forms.items():
        lists |= {f"forms.{name}.{kind}": getattr(form, kind) for kind in ("masculine", "feminine", "never")}
    for place, words in lists.items():
        for word in words:
            try:
                expression([word])
            except re.error as error:
                raise GrammarError(
                    f"{path}: {place}: {word!r} is no regular expression ({error}). Mend it"
                ) from error


def _shown(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"


GENDERS: Final[tuple[tuple[Literal["masculine", "feminine"], Gender], ...]] = (
    ("masculine", Gender.MASCULINE),
    ("feminine", Gender.FEMININE),
)
