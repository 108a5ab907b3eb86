"""Stimuli as data: word lists, pairs, templates and tests, read from TOML files and addressed by name."""

from biascore.stimuli.catalogue import Catalogue
from biascore.stimuli.loader import load_file
from biascore.stimuli.model import (
    Dimension,
    Doubt,
    FiseTest,
    PairList,
    Published,
    SentencePair,
    SentencePairs,
    SentencePairsTest,
    Stimuli,
    StimuliFile,
    TemplateList,
    Test,
    WordList,
)

__all__ = [
    "Catalogue",
    "Dimension",
    "Doubt",
    "FiseTest",
    "PairList",
    "Published",
    "SentencePair",
    "SentencePairs",
    "SentencePairsTest",
    "Stimuli",
    "StimuliFile",
    "TemplateList",
    "Test",
    "WordList",
    "load_file",
]
