"""Words put into the sentence templates of their part of speech, and the vectors of these sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from biascore.errors import OptionsError, StimuliError, UnknownNameError
from biascore.plugins_api import (
    Catalogue,
    Coverage,
    Level,
    LostWord,
    Model,
    TemplateList,
    Test,
    Text,
)
from biascore_metrics.vocabulary import unknown_words
from biascore_metrics.weat.words import ROLES
from biascore_metrics.words import WordOptions, composed, distinct_words, unseen, unusable


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
    """The frames that the words of one test go into, by part-of-speech tag, and the templates as written."""

    by_tag: Mapping[str, tuple[Frame, ...]]
    written: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, test: Test, catalogue: Catalogue, file: str) -> Frames:
        """The frames for every tag in the test, from ``file`` of its language.

        Raises OptionsError where there is no such file, StimuliError for words without a tag, a tag
        without templates, and a template that does not have its one slot exactly once.
        """
        try:
            templates = catalogue.templates(test.language, file)
        except UnknownNameError as error:
            raise OptionsError(
                f"{test.id}: the option templates={file!r} names no templates. {error}, or write a stimuli file "
                f"{test.language}/{file}.toml with a [templates.TAG] for each tag, as docs/metrics/seat.md shows"
            ) from error
        where = f"{test.language}/{file}"
        tagged = _words_by_tag(test, where, templates)
        missing = {tag: words for tag, words in tagged.items() if tag not in templates}
        if missing:
            shown = "; ".join(f"{tag!r}: {', '.join(words)}" for tag, words in missing.items())
            raise StimuliError(
                f"{test.id}: {where} has no templates for words with the tag {shown}. It has them for "
                f"{', '.join(templates)}: use one of these tags in {test.file}, or add [templates.TAG] to {where}"
            )
        used = {tag: templates[tag] for tag in tagged}
        return cls(
            {tag: tuple(_frames(found, f"{where}/{tag}")) for tag, found in used.items()},
            {tag: found.sentences for tag, found in used.items()},
        )

    def texts(self, test: Test, role: str, word: str) -> list[Text]:
        """The sentences of one word of the test."""
        return [frame.around(word) for frame in self.by_tag[test.roles[role].parts_of_speech[word]]]


@dataclass(frozen=True, slots=True)
class RoleSentences:
    """The usable words of one role, their tags, and the vectors of their sentences, word after word.

    ``vectors`` has shape (sentences, d), and ``counts`` is the number of sentences of each word.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    counts: tuple[int, ...]
    vectors: npt.NDArray[np.float32]

    def by_word(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Means over each word's sentences: (sentences, ...) gives (words, ...)."""
        ends = np.cumsum(self.counts)
        return np.stack(
            [values[end - count : end].mean(axis=0) for end, count in zip(ends, self.counts, strict=True)]
        )


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
    texts = [text for role in ROLES for word in kept[role] for text in frames.texts(test, role, word)]
    rows = model.embed(texts, level)
    embedded = map(_Embedded, texts, rows, unusable(rows))
    found: dict[str, RoleSentences] = {}
    for role in ROLES:
        words, vectors = [], []
        for word in kept[role]:
            own = list(islice(embedded, len(frames.texts(test, role, word))))
            reason = unknown.get(word) or _why_lost(own, level) or strange.get(word, "")
            if reason:
                lost.append(LostWord(word=word, role=role, reason=reason))
            else:
                words.append(word)
                vectors.append(np.stack([sentence.vector for sentence in own]))
        found[role] = RoleSentences(
            tuple(words),
            tuple(test.roles[role].parts_of_speech[word] for word in words),
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


def _words_by_tag(test: Test, where: str, templates: Mapping[str, TemplateList]) -> dict[str, list[str]]:
    tagged: dict[str, list[str]] = {}
    untagged = []
    for role in ROLES:
        words = test.roles[role]
        for word in dict.fromkeys(words.words):
            if word in words.parts_of_speech:
                tagged.setdefault(words.parts_of_speech[word], []).append(word)
            else:
                untagged.append(f"{word!r} ({role}, list {words.name})")
    if untagged:
        raise StimuliError(
            f"{test.id}: no part of speech says which sentences these words go into: {', '.join(untagged)}. Give them "
            f"part_of_speech or parts_of_speech in {test.file}; {where} has templates for {', '.join(templates)}"
        )
    return tagged


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
