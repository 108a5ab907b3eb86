"""Stimuli as data: word lists, pairs, templates and tests, read from TOML files and addressed by name."""

from biascore.stimuli.catalogue import Catalogue, Origin
from biascore.stimuli.lists import PairList, Rows, SentenceList, Stimuli, TemplateList, Uncertain, WordList
from biascore.stimuli.loader import load_file
from biascore.stimuli.model import Listed, Published, StimuliFile, Test
from biascore.stimuli.schema import Kinds

__all__ = [
    "Catalogue",
    "Kinds",
    "Listed",
    "Origin",
    "PairList",
    "Published",
    "Rows",
    "SentenceList",
    "Stimuli",
    "StimuliFile",
    "TemplateList",
    "Test",
    "Uncertain",
    "WordList",
    "load_file",
]
