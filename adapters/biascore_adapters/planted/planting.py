"""From a declaration to what is planted: words on axes, sentences, and what kinds of test say of theirs."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Final

from biascore.api.adapters import LoadContext
from biascore.api.languages import SpeakerFrames
from biascore.api.planting import Ground, Lexicon, Part, Sentences, part_of
from biascore.api.stimuli import Catalogue, WordList
from biascore.designs.pairs.test import SentencePairsTest
from biascore_adapters.planted.declaration import declared_effects, parse_declaration

VERSION: Final = 3


@dataclass(frozen=True, slots=True)
class Planted:
    """The declared tests by id with their effects, and what is planted for them."""

    declared: Mapping[str, float]
    words: Lexicon
    sentences: Sentences
    parts: tuple[Part, ...]

    @classmethod
    def of(cls, locator: str, seed: int, context: LoadContext) -> Planted:
        """Plant what a locator declares.

        Raises RefError for a declaration that cannot be read or planted, UnknownNameError for a name that is neither a
        concept nor matches a test.
        """
        declared, world = parse_declaration(locator)
        effects = declared_effects(declared, context.catalogue)
        words, sentences = Lexicon(world), Sentences(world)
        ground, parts = Ground(words, sentences, world), dict[str, Part]()
        for test, effect in effects:
            if test.planted:
                if test.planted not in parts:
                    parts[test.planted] = part_of(test).on(ground)
                parts[test.planted].plant(test, effect, seed)
            elif isinstance(test, SentencePairsTest):
                sentences.plant(test, effect, seed)
            else:
                words.plant_contrast(test, test.contrast or {}, effect)
        if world.pool:
            words.topics = _topics(context.catalogue, {test.language for test, _ in effects})
        words.check_room()
        world.check_met(locator)
        sentences.name_genders(context.catalogue, _frames(context))
        known = {test.id: effect for test, effect in effects}
        return cls(known, words, sentences, tuple(parts.values()))

    def digest(self, seed: int) -> str:
        """BLAKE2b over everything that is planted, and the seed."""
        own = (self.words.told(), self.sentences.told())
        everything = "\n".join(chain(*own, *(part.told() for part in self.parts)))
        planted = hashlib.blake2b(everything.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        return f"planted-{VERSION}:{planted}-{seed}"


def _topics(catalogue: Catalogue, languages: Collection[str]) -> dict[str, str]:
    """The topic of each word in the files ``topics`` of these languages."""
    return {
        word.casefold(): id
        for language in sorted(languages)
        for id, topic in catalogue.lists(language).items()
        if id.startswith(f"{language}/topics/") and isinstance(topic, WordList)
        for word in topic.words
    }


def _frames(context: LoadContext) -> list[SpeakerFrames]:
    return [one.speaker_frames for one in context.languages.values() if one.speaker_frames is not None]
