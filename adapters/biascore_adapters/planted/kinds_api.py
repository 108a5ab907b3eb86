"""What a kind of test imports to say how an effect is planted in it: it names its ``Part`` in ``Test.planted``."""

from biascore_adapters.planted.after import AfterAPrompt
from biascore_adapters.planted.choices import drawn, told
from biascore_adapters.planted.lexicon import Lexicon, generator
from biascore_adapters.planted.part import Ground, Part
from biascore_adapters.planted.sentences import FLOOR, TEN, TOKEN, Sentence, Sentences, cannot, deviate
from biascore_adapters.planted.world import World

__all__ = [
    "FLOOR",
    "TEN",
    "TOKEN",
    "AfterAPrompt",
    "Ground",
    "Lexicon",
    "Part",
    "Sentence",
    "Sentences",
    "World",
    "cannot",
    "deviate",
    "drawn",
    "generator",
    "told",
]
