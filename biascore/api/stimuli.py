"""Tests and lists as a metric gets them, and the catalogue of those that a run can name."""

from typing import TYPE_CHECKING

from biascore.basics.lazy import lazily

if TYPE_CHECKING:
    from biascore.hookspecs import hookimpl as hookimpl
    from biascore.stimuli import Catalogue as Catalogue
    from biascore.stimuli import Origin as Origin
    from biascore.stimuli import PairList as PairList
    from biascore.stimuli import SentenceList as SentenceList
    from biascore.stimuli import TemplateList as TemplateList
    from biascore.stimuli import Test as Test
    from biascore.stimuli import WordList as WordList
    from biascore.stimuli.schema import ATTRIBUTE as ATTRIBUTE
    from biascore.stimuli.schema import TARGET as TARGET
    from biascore.stimuli.schema import slots_missing as slots_missing
else:
    __getattr__, __dir__ = lazily(__name__)
