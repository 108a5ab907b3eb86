"""All that a plugin imports: ``from biascore.plugins_api import Adapter, Metric, hookimpl, ...``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biascore.basics.lazy import lazily

if TYPE_CHECKING:
    from biascore.adapter import Adapter, LoadContext
    from biascore.basics.frozen import FrozenMap, Scalar
    from biascore.basics.keys import HUB_TOKENS, warn_if_readable
    from biascore.basics.options import Options
    from biascore.basics.progress import Progress
    from biascore.basics.wording import listed, quoted
    from biascore.exporter import Exported, Exporter
    from biascore.files.forms import Malformed, Row
    from biascore.files.paths import user_path
    from biascore.files.reading import (
        MAX_UNPACKED,
        check_regular,
        file_digest,
        megabytes_allowed,
        parse_json,
        parse_toml,
        raised,
        read_bytes,
        read_text,
    )
    from biascore.files.tables import ColumnOptions, Delimiter, Table, TableOptions, read_table
    from biascore.hookspecs import hookimpl
    from biascore.installation import install_extra
    from biascore.languages.gender import (
        Gender,
        GenderEvidence,
        GenderPair,
        SpeakerGender,
        SpeakerGenderDetector,
        compare_pair,
        first_sentence,
        gender_pair,
    )
    from biascore.languages.gender_rules import language_with_rules
    from biascore.languages.gender_table import check_sentences, read_sentences
    from biascore.languages.gender_trace import Trace, TracedWord, TraceStep, trace_gender
    from biascore.languages.language import Language, SpeakerFrames, find_language
    from biascore.languages.names import language_name
    from biascore.metric import SELF, Context, Draws, Metric, MetricOptions, Resamples
    from biascore.models.backend import Backend, Identity, ModelPlugin
    from biascore.models.cost import Cost
    from biascore.models.model import Model
    from biascore.models.quantities import find_output
    from biascore.models.questions import Familiarity, Level, Masked, Span, Text, TokenLogprobs
    from biascore.models.refs import ModelRef
    from biascore.models.training import Checkpoints, Trained, Training
    from biascore.models.transform import (
        IN_SHORT,
        FittedTransform,
        Transform,
        TransformContext,
        Vectors,
        VocabularyUnknownError,
    )
    from biascore.models.vocabulary import BLOCK_ROWS, Vocabulary
    from biascore.results.caveat import Caveat, caveats_of
    from biascore.results.coverage import REPEATED, Coverage, LostWord
    from biascore.results.estimates import ConfidenceInterval, Equivalence, Estimate, PValue
    from biascore.results.estimators import EVERY_ITEM, ClusterContrast, Contrast, Total
    from biascore.results.figures import (
        Band,
        Bars,
        Boxes,
        Dots,
        Examples,
        Figure,
        Heat,
        Histogram,
        Limit,
        Lines,
        Plane,
        Point,
        Range,
    )
    from biascore.results.finding import Finding
    from biascore.results.measurement import Measurement, item_table
    from biascore.results.run import Run
    from biascore.results.specificity import Specificity
    from biascore.results.summary import SummaryRow, summary_rows
    from biascore.scorers.features import vectors_of
    from biascore.scorers.folder import Scorer, read_scorer
    from biascore.stimuli import (
        AssociationsTest,
        AttributeGroup,
        Catalogue,
        Dimension,
        EmotionWord,
        EmotionWords,
        EquityRow,
        EquityTemplate,
        EquityTemplates,
        EquityTest,
        FiseTest,
        GenderedNounsTest,
        GenderedSample,
        GenderedSamples,
        GenderPairsTest,
        Grammar,
        GrammarRule,
        NounClass,
        Origin,
        PairList,
        Part,
        Person,
        PersonList,
        Sample,
        Samples,
        SamplesTest,
        SentenceList,
        SentencePair,
        SentencePairs,
        SentencePairsTest,
        Stereotype,
        TemplateList,
        Test,
        WordForms,
        WordList,
    )
    from biascore.stimuli.associations import AGREEING, ATTRIBUTE, TARGET
    from biascore.stimuli.dataset import DataFile, DataFormat
    from biascore.stimuli.entries import LANGUAGE_PATTERN
    from biascore.stimuli.schema import SAMPLES_MEAN, StereotypeEntry
else:
    __getattr__, __dir__ = lazily(__name__)

__all__ = [
    "AGREEING",
    "ATTRIBUTE",
    "BLOCK_ROWS",
    "EVERY_ITEM",
    "HUB_TOKENS",
    "IN_SHORT",
    "LANGUAGE_PATTERN",
    "MAX_UNPACKED",
    "REPEATED",
    "SAMPLES_MEAN",
    "SELF",
    "TARGET",
    "Adapter",
    "AssociationsTest",
    "AttributeGroup",
    "Backend",
    "Band",
    "Bars",
    "Boxes",
    "Catalogue",
    "Caveat",
    "Checkpoints",
    "ClusterContrast",
    "ColumnOptions",
    "ConfidenceInterval",
    "Context",
    "Contrast",
    "Cost",
    "Coverage",
    "DataFile",
    "DataFormat",
    "Delimiter",
    "Dimension",
    "Dots",
    "Draws",
    "EmotionWord",
    "EmotionWords",
    "EquityRow",
    "EquityTemplate",
    "EquityTemplates",
    "EquityTest",
    "Equivalence",
    "Estimate",
    "Examples",
    "Exported",
    "Exporter",
    "Familiarity",
    "Figure",
    "Finding",
    "FiseTest",
    "FittedTransform",
    "FrozenMap",
    "Gender",
    "GenderEvidence",
    "GenderPair",
    "GenderPairsTest",
    "GenderedNounsTest",
    "GenderedSample",
    "GenderedSamples",
    "Grammar",
    "GrammarRule",
    "Heat",
    "Histogram",
    "Identity",
    "Language",
    "Level",
    "Limit",
    "Lines",
    "LoadContext",
    "LostWord",
    "Malformed",
    "Masked",
    "Measurement",
    "Metric",
    "MetricOptions",
    "Model",
    "ModelPlugin",
    "ModelRef",
    "NounClass",
    "Options",
    "Origin",
    "PValue",
    "PairList",
    "Part",
    "Person",
    "PersonList",
    "Plane",
    "Point",
    "Progress",
    "Range",
    "Resamples",
    "Row",
    "Run",
    "Sample",
    "Samples",
    "SamplesTest",
    "Scalar",
    "Scorer",
    "SentenceList",
    "SentencePair",
    "SentencePairs",
    "SentencePairsTest",
    "Span",
    "SpeakerFrames",
    "SpeakerGender",
    "SpeakerGenderDetector",
    "Specificity",
    "Stereotype",
    "StereotypeEntry",
    "SummaryRow",
    "Table",
    "TableOptions",
    "TemplateList",
    "Test",
    "Text",
    "TokenLogprobs",
    "Total",
    "Trace",
    "TraceStep",
    "TracedWord",
    "Trained",
    "Training",
    "Transform",
    "TransformContext",
    "Vectors",
    "Vocabulary",
    "VocabularyUnknownError",
    "WordForms",
    "WordList",
    "caveats_of",
    "check_regular",
    "check_sentences",
    "compare_pair",
    "file_digest",
    "find_language",
    "find_output",
    "first_sentence",
    "gender_pair",
    "hookimpl",
    "install_extra",
    "item_table",
    "language_name",
    "language_with_rules",
    "listed",
    "megabytes_allowed",
    "parse_json",
    "parse_toml",
    "quoted",
    "raised",
    "read_bytes",
    "read_scorer",
    "read_sentences",
    "read_table",
    "read_text",
    "summary_rows",
    "trace_gender",
    "user_path",
    "vectors_of",
    "warn_if_readable",
]
