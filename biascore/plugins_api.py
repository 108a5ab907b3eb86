"""All that a plugin imports: ``from biascore.plugins_api import Adapter, Metric, hookimpl, ...``."""

from __future__ import annotations

from biascore.adapter import Adapter, Backend, Identity, LoadContext, ModelPlugin, Options
from biascore.cost import Cost
from biascore.dataset import DataFile, DataFormat
from biascore.frozen import Scalar
from biascore.gender import Gender, GenderEvidence, GenderPair, SpeakerGender, SpeakerGenderDetector
from biascore.gender_rules import language_with_rules
from biascore.gender_trace import Trace, TracedWord, TraceStep
from biascore.hookspecs import hookimpl
from biascore.language import Language, SpeakerFrames, find_language
from biascore.measurement import (
    REPEATED,
    Bars,
    Boxes,
    ConfidenceInterval,
    Coverage,
    Dots,
    Equivalence,
    Estimate,
    Limit,
    LostWord,
    Measurement,
    Plane,
    Point,
    PValue,
    item_table,
)
from biascore.metric import SELF, Context, Draws, Metric, MetricOptions, Resamples
from biascore.model import Model
from biascore.questions import Level, Masked, Span, Text, TokenLogprobs
from biascore.refs import ModelRef
from biascore.stimuli import (
    Catalogue,
    Dimension,
    FiseTest,
    GenderedSample,
    GenderedSamples,
    GenderPairsTest,
    PairList,
    Sample,
    Samples,
    SamplesTest,
    SentencePair,
    SentencePairs,
    SentencePairsTest,
    Stereotype,
    TemplateList,
    Test,
    WordList,
)

__all__ = [
    "REPEATED",
    "SELF",
    "Adapter",
    "Backend",
    "Bars",
    "Boxes",
    "Catalogue",
    "ConfidenceInterval",
    "Context",
    "Cost",
    "Coverage",
    "DataFile",
    "DataFormat",
    "Dimension",
    "Dots",
    "Draws",
    "Equivalence",
    "Estimate",
    "FiseTest",
    "Gender",
    "GenderEvidence",
    "GenderPair",
    "GenderPairsTest",
    "GenderedSample",
    "GenderedSamples",
    "Identity",
    "Language",
    "Level",
    "Limit",
    "LoadContext",
    "LostWord",
    "Masked",
    "Measurement",
    "Metric",
    "MetricOptions",
    "Model",
    "ModelPlugin",
    "ModelRef",
    "Options",
    "PValue",
    "PairList",
    "Plane",
    "Point",
    "Resamples",
    "Sample",
    "Samples",
    "SamplesTest",
    "Scalar",
    "SentencePair",
    "SentencePairs",
    "SentencePairsTest",
    "Span",
    "SpeakerFrames",
    "SpeakerGender",
    "SpeakerGenderDetector",
    "Stereotype",
    "TemplateList",
    "Test",
    "Text",
    "TokenLogprobs",
    "Trace",
    "TraceStep",
    "TracedWord",
    "WordList",
    "find_language",
    "hookimpl",
    "item_table",
    "language_with_rules",
]
