"""The sentences of a corpus from its parts, corrected or as they were published."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from biascore_metrics.eec.parts import CorpusParts, PersonPart, TemplatePart, Text, WordPart
from biascore_metrics.eec.sentences import EquityRow

BASE: Final = "base"
_SLOT: Final = re.compile(r"\{(\w+)(?::(\w+))?\}")
_VOWELS: Final = "aeiou"
_SHORT: Final = {"male": "m", "female": "f"}


class MissingPartError(LookupError):
    """A slot or a form that the parts do not have; its text says where."""


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes the sentences of a corpus, template by template, person by person, word by word."""

    parts: CorpusParts
    published: bool

    def rows(self) -> Iterator[EquityRow]:
        """Every sentence with the ids of its parts; raises MissingPartError."""
        missing = (
            {(row.template, row.person, row.word) for row in self.parts.as_published.missing_rows}
            if self.published
            else set()
        )
        for template in self.parts.templates:
            fitting = [word for word in self.parts.words if word.slot == template.slot]
            words: list[WordPart | None] = [*fitting] or [None]
            for person in self.parts.persons:
                for word in words:
                    if word is None or (template.id, person.id, word.id) not in missing:
                        yield self._row(template, person, word)

    def _row(self, template: TemplatePart, person: PersonPart, word: WordPart | None) -> EquityRow:
        text, agreement = self._text(template, person, word)
        rules = self.parts.as_published if self.published else self.parts.rules
        sentence = self._filled(text, template, person, word)
        if rules.capitalise_first:
            sentence = sentence[0].upper() + sentence[1:]
        return EquityRow(
            sentence=sentence + "." * rules.final_period,
            template=str(template.id),
            person=person.id,
            kind="name" if person.group else "noun phrase",
            word=word.id if word else "",
            emotion=word.emotion if word else "",
            agreement=agreement,
            levels=(person.group or "", person.gender),
        )

    def _text(self, template: TemplatePart, person: PersonPart, word: WordPart | None) -> tuple[str, bool]:
        """The text for this person and word, and whether a word of it agrees with the person."""
        text: Text = template.text_of(self.published)
        special = template.specials(self.published).get(person.id)
        if self.published:
            special = self.parts.as_published.special.get(str(template.id), {}).get(person.id, special)
            if template.superseded is not None and self._is_superseded(person, word):
                text = template.superseded
        # A text for single persons has their pronoun in it, and one by gender differs in what agrees.
        agrees = special is not None or isinstance(text, dict)
        if special is None:
            special = text if isinstance(text, str) else text.get(person.gender)
        if special is None:
            raise MissingPartError(f"template {template.id} has no text for {person.gender!r}")
        return special, agrees or "{w:person}" in special or "{refl}" in special

    def _is_superseded(self, person: PersonPart, word: WordPart | None) -> bool:
        rule = self.parts.as_published.superseded_template_4
        if rule is None or person.group is None:
            return False
        excepted = rule.row_exception
        is_excepted = word is not None and (person.id, word.id) == (excepted.person, excepted.word)
        return is_excepted or person.id not in rule.except_persons

    def _filled(self, text: str, template: TemplatePart, person: PersonPart, word: WordPart | None) -> str:
        # "a" looks at the word that is put after it, so it waits for the others.
        filled = _SLOT.sub(lambda slot: self._filling(slot, template, person, word), text)
        return re.sub(r"\{a\} (?=(.))", lambda found: "an " if found[1].lower() in _VOWELS else "a ", filled)

    def _filling(
        self, slot: re.Match[str], template: TemplatePart, person: PersonPart, word: WordPart | None
    ) -> str:
        name, form = slot[1], slot[2] or BASE
        place = f"t{template.id}"
        if name == "a":
            return slot[0]
        if name == "p":
            if self.published and place in person.published_forms:
                return person.published_forms[place]
            if form == "obj" and self.published and not self.parts.as_published.object_forms:
                form = BASE
            found = person.forms.get(form, person.forms.get(BASE))
        elif name == "w" and word is not None:
            changed = word.published_forms.get(place, {}) if self.published else {}
            wanted = _SHORT.get(person.gender, person.gender) if form == "person" else form
            forms = {**word.forms, **changed}
            found = forms.get(wanted, forms.get(BASE) if form == "person" else None)
        elif name == "refl":
            found = self.parts.rules.refl.get(person.gender)
        else:
            found = None
        if found is None:
            whom = f"{person.id!r}" + (f" and {word.id!r}" if word else "")
            raise MissingPartError(f"nothing fills {slot[0]} of template {template.id} with {whom}")
        return found
