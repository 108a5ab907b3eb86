"""Words put into the sentence templates of their part of speech, and the vectors of these sentences."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.api.metrics import Coverage, LostWord, Model, Test
from biascore.api.queries import Level, Text
from biascore.api.stimuli import Catalogue, SentenceList, TemplateList
from biascore.designs.crossed import ROLES, means
from biascore.designs.words import WordOptions, composed, distinct_words, unknown_words, unseen, unusable
from biascore.errors import OptionsError, StimuliError, UnknownNameError

OWN: Final = "own sentences"


@dataclass(frozen=True, slots=True)
class Frame:
    """A sentence around the place of a word."""

    before: str
    after: str

    def around(self, word: str) -> Text:
        """The sentence with the word as it is listed: not inflected, and not capitalised where it comes first."""
        start = len(self.before)
        return Text(self.before + word + self.after, (start, start + len(word)))


@dataclass(frozen=True, slots=True)
class Frames:
    """The sentences of the words of one test.

    ``own`` are sentences written for single words. Other words go into the frames of their tag, ``by_tag``; ``tags`` is that
    of each word, and ``written`` the templates as written.
    """

    by_tag: Mapping[str, tuple[Frame, ...]]
    written: Mapping[str, tuple[str, ...]]
    tags: Mapping[tuple[str, str], str]
    own: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, test: Test, catalogue: Catalogue, file: str) -> Frames:
        """The sentences for every word in the test, from ``file`` of its language.

        Raises OptionsError where there is no such file, StimuliError for words without a tag, a tag
        without templates, and a template that does not have its one slot exactly once.
        """
        where = f"{test.language}/{file}"
        own = {
            word: sentences
            for address, found in catalogue.lists().items()
            if isinstance(found, SentenceList) and address.casefold().startswith(f"{where}/".casefold())
            for word, sentences in found.of.items()
        }
        templates: Mapping[str, TemplateList] = {}
        try:
            templates = catalogue.templates(test.language, file)
        except UnknownNameError as error:
            if not own:
                raise OptionsError(
                    f"{test.id}: the option templates={file!r} names no templates. {error}, or write a stimuli file "
                    f"{test.language}/{file}.toml with a [templates.TAG] for each tag, as docs/metrics/seat.md shows"
                ) from error
        tags = _tags(test, where, templates, own)
        missing: dict[str, list[str]] = {}
        for (_, word), tag in tags.items():
            if tag not in templates:
                missing.setdefault(tag, []).append(word)
        if missing:
            shown = "; ".join(f"{tag!r}: {', '.join(words)}" for tag, words in missing.items())
            raise StimuliError(
                f"{test.id}: {where} has no templates for words with the tag {shown}. It has them for "
                f"{', '.join(templates) or 'none'}: use one of these tags in {test.file}, or add [templates.TAG] to {where}"
            )
        used = {tag: templates[tag] for tag in dict.fromkeys(tags.values())}
        return cls(
            {tag: tuple(_frames(found, f"{where}/{tag}")) for tag, found in used.items()},
            {tag: found.sentences for tag, found in used.items()},
            tags,
            own,
        )

    def texts(self, role: str, word: str) -> list[Text]:
        """The sentences of one word; without a span where a sentence of its own holds the word in another form."""
        if word in self.own:
            return [_around(sentence, word) for sentence in self.own[word]]
        return [frame.around(word) for frame in self.by_tag[self.tags[role, word]]]

    def told(self, test: Test, file: str) -> dict[str, str]:
        """The sentences written for single words of the test, for its conventions; none where it has none."""
        used = dict.fromkeys(word for role in ROLES for word in test.roles[role].words if word in self.own)
        return {
            f"sentences of {word!r} in {test.language}/{file}": " | ".join(self.own[word]) for word in used
        }

    def check_level(self, test: Test, level: Level) -> None:
        """Raise OptionsError where the word itself is asked for and a sentence does not hold it."""
        for role in ROLES:
            for word in dict.fromkeys(test.roles[role].words):
                for text in self.texts(role, word):
                    if level == "token" and text.span is None:
                        raise OptionsError(
                            f"{test.id}: level=token needs {word!r} in each of its sentences, and {text.text!r} does not "
                            "hold it in this form. Use level=sentence, or change the sentence"
                        )


@dataclass(frozen=True, slots=True)
class RoleSentences:
    """The usable words of one role, the tags of their templates, and the vectors of their sentences, word after word.

    ``vectors`` has shape (sentences, d), and ``counts`` is the number of sentences of each word.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    counts: tuple[int, ...]
    vectors: npt.NDArray[np.float32]

    def by_word(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Means over each word's sentences: (sentences, ...) gives (words, ...)."""
        return means(values, self.counts)


def embed_sentences(
    model: Model, test: Test, frames: Frames, level: Level, options: WordOptions
) -> tuple[dict[str, RoleSentences], Coverage]:
    """Embed every sentence of every role in one call; a word that lacks a sentence is lost and listed.

    At sentence level the words are also embedded alone, because the rest of a sentence hides that a
    contextual model does not know its word.
    """
    kept, lost = distinct_words({role: test.roles[role].words for role in ROLES}, options)
    unknown = unknown_words(model, kept, options) if level == "sentence" else {}
    strange = {word.word: word.reason for word in unseen(model, kept)} if options.unseen == "drop" else {}
    texts = [text for role in ROLES for word in kept[role] for text in frames.texts(role, word)]
    rows = model.embed(texts, level)
    embedded = map(_Embedded, texts, rows, unusable(rows))
    found: dict[str, RoleSentences] = {}
    for role in ROLES:
        words, vectors = [], []
        for word in kept[role]:
            own = list(islice(embedded, len(frames.texts(role, word))))
            reason = unknown.get(word) or _why_lost(own, level) or strange.get(word, "")
            if reason:
                lost.append(LostWord(word=word, role=role, reason=reason))
            else:
                words.append(word)
                vectors.append(np.stack([sentence.vector for sentence in own]))
        found[role] = RoleSentences(
            tuple(words),
            tuple(frames.tags.get((role, word), OWN) for word in words),
            tuple(map(len, vectors)),
            np.concatenate(vectors) if vectors else rows[:0],
        )
    coverage = Coverage(
        given={role: len(test.roles[role].words) for role in ROLES},
        used={role: len(found[role].words) for role in ROLES},
        lost=tuple(lost),
        composed=composed(model, {role: found[role].words for role in ROLES}),
        unseen=unseen(model, {role: found[role].words for role in ROLES}),
    )
    return found, coverage


@dataclass(frozen=True, slots=True)
class _Embedded:
    text: Text
    vector: npt.NDArray[np.float32]
    problem: str


def _why_lost(sentences: list[_Embedded], level: Level) -> str:
    for sentence in sentences:
        if sentence.problem:
            # The word alone is known: at sentence level it is another word of the sentence that is not.
            where = "its sentence" if level == "sentence" else "in its sentence"
            return f"{where} {sentence.text.text!r}: {sentence.problem}"
    return ""


def _around(sentence: str, word: str) -> Text:
    found = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", sentence, re.IGNORECASE)
    return Text(sentence, found.span() if found else None)


def _tags(
    test: Test, where: str, templates: Mapping[str, TemplateList], own: Container[str]
) -> dict[tuple[str, str], str]:
    """The tag of each role and word that has no sentences of its own.

    Templates named as a tag with an addition (``noun-singular-an``) say themselves which of its words go into them.
    """
    tags: dict[tuple[str, str], str] = {}
    untagged = []
    for role in ROLES:
        words = test.roles[role]
        for word in dict.fromkeys(words.words):
            tag = words.parts_of_speech.get(word)
            if word in own:
                continue
            if tag is None:
                untagged.append(f"{word!r} ({role}, list {words.name})")
                continue
            finer = (n for n, some in templates.items() if n.startswith(f"{tag}-") and word in some.words)
            tags[role, word] = next(finer, tag)
    if untagged:
        raise StimuliError(
            f"{test.id}: no part of speech says which sentences these words go into: {', '.join(untagged)}. Give them "
            f"part_of_speech or parts_of_speech in {test.file}; {where} has templates for {', '.join(templates) or 'none'}"
        )
    return tags


def _frames(templates: TemplateList, where: str) -> Iterator[Frame]:
    if len(templates.slots) != 1:
        raise StimuliError(
            f"{where}: has the slots {', '.join(templates.slots)}, and a SEAT template takes one word. Give it one slot"
        )
    (slot,) = templates.slots
    for sentence in templates.sentences:
        if sentence.count(slot) != 1:
            raise StimuliError(
                f"{where}: the template {sentence!r} has the slot {slot} {sentence.count(slot)} times. Write it once"
            )
        before, _, after = sentence.partition(slot)
        yield Frame(before, after)
