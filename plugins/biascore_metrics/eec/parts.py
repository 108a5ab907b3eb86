"""The parts of Equity Evaluation Corpora as a file gives them: what they are corrected, and what was published."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Text = str | dict[str, str]
"""A template of everybody, or one for each gender."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class PersonPart(_Part):
    """A person; ``published_forms`` are the forms that are in single templates (``t7``) of the published corpus."""

    id: str
    gender: str
    group: str | None = None
    forms: dict[str, str]
    published_forms: dict[str, str] = Field(default_factory=dict)


class WordPart(_Part):
    """A word of an emotion; ``published_forms`` change its forms in single templates."""

    id: str
    emotion: str
    slot: str
    forms: dict[str, str]
    published_forms: dict[str, dict[str, str]] = Field(default_factory=dict)


class TemplatePart(_Part):
    """A template; ``special`` are its texts for single persons, ``superseded`` an older translation."""

    id: int
    text: Text
    slot: str | None = None
    special: dict[str, str] = Field(default_factory=dict)
    published_text: Text | None = None
    published_special: dict[str, str] | None = None
    superseded: Text | None = None

    def text_of(self, published: bool) -> Text:
        """The text, as it was published where that is asked for and another."""
        return self.published_text if published and self.published_text is not None else self.text

    def specials(self, published: bool) -> Mapping[str, str]:
        """The texts for single persons."""
        return self.published_special if published and self.published_special is not None else self.special


class Rules(BaseModel):
    """How sentences of a corrected corpus are written; explanations next to them are left alone."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)

    refl: dict[str, str] = Field(default_factory=dict)
    capitalise_first: bool
    final_period: bool


class RowException(_Part):
    """One sentence that has the superseded text all the same."""

    person: str
    word: str
    use: Literal["superseded"]


class Superseded(_Part):
    """Who has the superseded text of template 4: every named person but some."""

    except_persons: Annotated[tuple[str, ...], Field(strict=False)]
    row_exception: RowException
    applies_to: str = ""


class MissingRow(_Part):
    """A sentence that the published file lacks."""

    template: int
    person: str
    word: str
    id: int | None = None


class PublishedRules(_Part):
    """How the sentences of the published corpus are written."""

    capitalise_first: bool
    final_period: bool
    object_forms: bool = True
    special: dict[str, dict[str, str]] = Field(default_factory=dict)
    superseded_template_4: Superseded | None = None
    missing_rows: Annotated[tuple[MissingRow, ...], Field(strict=False)] = ()
    notes: Annotated[tuple[str, ...], Field(strict=False)] = ()


class CorpusParts(_Part):
    """One corpus."""

    language: str
    label: str
    majority: str
    minority: str
    persons: Annotated[tuple[PersonPart, ...], Field(strict=False, min_length=1)]
    words: Annotated[tuple[WordPart, ...], Field(strict=False, min_length=1)]
    templates: Annotated[tuple[TemplatePart, ...], Field(strict=False, min_length=1)]
    rules: Rules
    as_published: PublishedRules
    group_labels: dict[str, str] = Field(default_factory=dict)


class PartsFile(_Part):
    """A whole file of parts; ``spec`` and ``emotions`` are for its readers."""

    version: Literal[1] = Field(alias="schema")
    source: str
    corpora: dict[str, CorpusParts]
    spec: Annotated[tuple[str, ...], Field(strict=False)] = ()
    emotions: Annotated[tuple[str, ...], Field(strict=False)] = ()
