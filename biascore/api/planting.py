"""What a kind of test imports to say how an effect is planted in it: it names its ``Part`` in ``Test.planted``."""

from typing import TYPE_CHECKING

from biascore.basics.lazy import lazily

if TYPE_CHECKING:
    from biascore.planting.after import AfterAPrompt as AfterAPrompt
    from biascore.planting.choices import WAYS as WAYS
    from biascore.planting.choices import chosen as chosen
    from biascore.planting.choices import drawn as drawn
    from biascore.planting.choices import told as told
    from biascore.planting.lexicon import GENDER as GENDER
    from biascore.planting.lexicon import NOISE_DIMENSIONS as NOISE_DIMENSIONS
    from biascore.planting.lexicon import Lexicon as Lexicon
    from biascore.planting.lexicon import generator as generator
    from biascore.planting.part import Ground as Ground
    from biascore.planting.part import Part as Part
    from biascore.planting.part import first as first
    from biascore.planting.part import part_of as part_of
    from biascore.planting.sentences import FLOOR as FLOOR
    from biascore.planting.sentences import TEN as TEN
    from biascore.planting.sentences import TOKEN as TOKEN
    from biascore.planting.sentences import Sentence as Sentence
    from biascore.planting.sentences import Sentences as Sentences
    from biascore.planting.sentences import cannot as cannot
    from biascore.planting.sentences import covered as covered
    from biascore.planting.sentences import deviate as deviate
    from biascore.planting.sentences import plain as plain
    from biascore.planting.world import CONDITIONS as CONDITIONS
    from biascore.planting.world import World as World
    from biascore.planting.world import mixed as mixed
else:
    __getattr__, __dir__ = lazily(__name__)
