"""Words put into the sentence templates of their part of speech, and the vectors of these sentences."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.api.metrics import Coverage, LostWord, Model, Test
from biascore.api.queries import Level, Text
from biascore.api.stimuli import Catalogue, SentenceList, TemplateList
from biascore.designs.crossed import ROLES
from biascore.designs.words import WordOptions, composed, distinct_words, unknown_words, unseen, unusable
from biascore.errors import OptionsError, StimuliError, UnknownNameError

OWN: Final = "own sentences"
Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Frames:
    """The sentences of the words of one test.

    ``own`` are sentences written for single words. Other words go into the ``templates`` of their tag; ``tags`` is that of
    each word.
    """

    templates: Mapping[str, TemplateList]
    tags: Mapping[tuple[str, str], str]
    own: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, test: Test, catalogue: Catalogue, file: str, level: Level = "sentence") -> Frames:
        """The sentences for every word in the test, from ``file`` of its language.

        Templates named as a tag with an addition (``noun-singular-an``) say themselves which of its words go into them.

        Raises OptionsError where there is no such file and where, at ``level`` token, a sentence does not hold its word;
        StimuliError for words without a tag, a tag without templates, and a template without its one slot exactly once.
        """
        where = f"{test.language}/{file}"
        own = {
            word: sentences
            for address, found in catalogue.lists(test.language, "sentences").items()
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
        there, tags = ", ".join(templates) or "none", dict[tuple[str, str], str]()
        untagged = []
        for role, words in ((role, test.roles[role]) for role in ROLES):
            for word in (word for word in dict.fromkeys(words.words) if word not in own):
                tag = words.parts_of_speech.get(word)
                if tag is None:
                    untagged.append(f"{word!r} ({role}, list {words.name})")
                    continue
                finer = (n for n, some in templates.items() if n.startswith(f"{tag}-") and word in some.words)
                tags[role, word] = next(finer, tag)
        if untagged:
            raise StimuliError(
                f"{test.id}: no part of speech says which sentences these words go into: {', '.join(untagged)}. Give them "
                f"part_of_speech or parts_of_speech in {test.file}; {where} has templates for {there}"
            )
        used: dict[str, list[str]] = {}
        for (_, word), tag in tags.items():
            used.setdefault(tag, []).append(word)
        missing = [f"{tag!r}: {', '.join(words)}" for tag, words in used.items() if tag not in templates]
        if missing:
            raise StimuliError(
                f"{test.id}: {where} has no templates for words with the tag {'; '.join(missing)}. It has them for {there}: "
                f"use one of these tags in {test.file}, or add [templates.TAG] to {where}"
            )
        for tag in used:
            _check_slots(templates[tag], f"{where}/{tag}")
        frames = cls({tag: templates[tag] for tag in used}, tags, own)
        every = dict.fromkeys((role, word) for role in ROLES for word in test.roles[role].words)
        for role, word in every:
            without = next((text.text for text in frames.texts(role, word) if not text.span), None)
            if level == "token" and without is not None:
                raise OptionsError(
                    f"{test.id}: level=token needs {word!r} in each of its sentences, and {without!r} does not hold it in "
                    "this form. Use level=sentence, or change the sentence"
                )
        return frames

    def texts(self, role: str, word: str) -> list[Text]:
        """The sentences of one word; without a span where a sentence of its own holds the word in another form.

        In templates it stands as it is listed: not inflected, and not capitalised where it comes first.
        """
        if word in self.own:
            pattern = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.IGNORECASE)
            places = ((sentence, pattern.search(sentence)) for sentence in self.own[word])
            return [Text(sentence, found.span() if found else None) for sentence, found in places]
        templates = self.templates[self.tags[role, word]]
        parts = (sentence.partition(templates.slots[0]) for sentence in templates.sentences)
        return [Text(start + word + end, (len(start), len(start) + len(word))) for start, _, end in parts]

    def told(self, test: Test, file: str) -> dict[str, str]:
        """The templates, and the sentences written for single words of the test, as conventions."""
        address = f"{test.language}/{file}"
        stated = {f"templates {address}/{tag}": some.sentences for tag, some in self.templates.items()}
        for word in (word for role in ROLES for word in test.roles[role].words if word in self.own):
            stated[f"sentences of {word!r} in {address}"] = self.own[word]
        return {name: " | ".join(sentences) for name, sentences in stated.items()}


@dataclass(frozen=True, slots=True)
class RoleSentences:
    """The usable words of one role, the tags of their templates, and the vectors of their sentences, word after word.

    ``vectors`` has shape (sentences, d), and ``counts`` is the number of sentences of each word.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    counts: tuple[int, ...]
    vectors: Vectors


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
    each = [(role, word, frames.texts(role, word)) for role in ROLES for word in kept[role]]
    rows = model.embed([text for *_, own in each for text in own], level)
    problems = unusable(rows)
    # The word alone is known: at sentence level it is another word of the sentence that is not.
    where = "its sentence" if level == "sentence" else "in its sentence"
    read: dict[str, list[tuple[str, Vectors]]] = {role: [] for role in ROLES}
    start = 0
    for role, word, own in each:
        here = slice(start, start := start + len(own))
        wrong = [
            f"{where} {text.text!r}: {why}" for text, why in zip(own, problems[here], strict=True) if why
        ]
        reason = unknown.get(word) or next(iter(wrong), strange.get(word, ""))
        if reason:
            lost.append(LostWord(word=word, role=role, reason=reason))
        else:
            read[role].append((word, rows[here]))
    found = {
        role: RoleSentences(
            tuple(word for word, _ in some),
            tuple(frames.tags.get((role, word), OWN) for word, _ in some),
            tuple(len(vectors) for _, vectors in some),
            np.concatenate([rows[:0], *(vectors for _, vectors in some)]),
        )
        for role, some in read.items()
    }
    words = {role: some.words for role, some in found.items()}
    coverage = Coverage(
        given={role: len(test.roles[role].words) for role in ROLES},
        used={role: len(some) for role, some in words.items()},
        lost=tuple(lost),
        composed=composed(model, words),
        unseen=unseen(model, words),
    )
    return found, coverage


def _check_slots(templates: TemplateList, where: str) -> None:
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
