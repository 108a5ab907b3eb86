"""All that a plugin imports: ``from biascore.plugins_api import Adapter, Metric, hookimpl, ...``."""

from __future__ import annotations

from biascore.adapter import Adapter, Backend, Identity, LoadContext, ModelPlugin, Options
from biascore.cost import Cost
from biascore.frozen import Scalar
from biascore.gender import Gender, GenderEvidence, GenderPair, SpeakerGender, SpeakerGenderDetector
from biascore.gender_rules import language_with_rules
from biascore.hookspecs import hookimpl
from biascore.language import Language
from biascore.measurement import (
    REPEATED,
    ConfidenceInterval,
    Coverage,
    Estimate,
    LostWord,
    Measurement,
    PValue,
    item_table,
)
from biascore.metric import Metric, MetricOptions
from biascore.model import Model
from biascore.questions import Level, Masked, Span, Text, TokenLogprobs
from biascore.refs import ModelRef
from biascore.stimuli import Test, WordList

__all__ = [
    "REPEATED",
    "Adapter",
    "Backend",
    "ConfidenceInterval",
    "Cost",
    "Coverage",
    "Estimate",
    "Gender",
    "GenderEvidence",
    "GenderPair",
    "Identity",
    "Language",
    "Level",
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
    "Scalar",
    "Span",
    "SpeakerGender",
    "SpeakerGenderDetector",
    "Test",
    "Text",
    "TokenLogprobs",
    "WordList",
    "hookimpl",
    "item_table",
    "language_with_rules",
]
