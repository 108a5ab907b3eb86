"""Stimuli as data: word lists, pairs, templates and tests, read from TOML files and addressed by name."""

from biascore.stimuli.associations import AssociationsTest, AttributeGroup, Part
from biascore.stimuli.catalogue import Catalogue
from biascore.stimuli.lists import (
    Doubt,
    GenderedSample,
    GenderedSamples,
    PairList,
    Sample,
    Samples,
    SentenceList,
    SentencePair,
    SentencePairs,
    Stereotype,
    Stimuli,
    TemplateList,
    WordForms,
    WordList,
)
from biascore.stimuli.loader import load_file
from biascore.stimuli.model import (
    Dimension,
    FiseTest,
    GenderPairsTest,
    Published,
    SamplesTest,
    SentencePairsTest,
    StimuliFile,
    Test,
)
from biascore.stimuli.nouns import GenderedNounsTest, NounClass

__all__ = [
    "AssociationsTest",
    "AttributeGroup",
    "Catalogue",
    "Dimension",
    "Doubt",
    "FiseTest",
    "GenderPairsTest",
    "GenderedNounsTest",
    "GenderedSample",
    "GenderedSamples",
    "NounClass",
    "PairList",
    "Part",
    "Published",
    "Sample",
    "Samples",
    "SamplesTest",
    "SentenceList",
    "SentencePair",
    "SentencePairs",
    "SentencePairsTest",
    "Stereotype",
    "Stimuli",
    "StimuliFile",
    "TemplateList",
    "Test",
    "WordForms",
    "WordList",
    "load_file",
]
