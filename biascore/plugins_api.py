"""All that a plugin imports: ``from biascore.plugins_api import Adapter, Metric, hookimpl, ...``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biascore.basics.lazy import lazily

if TYPE_CHECKING:
    from biascore.basics.frozen import FrozenMap, Scalar
    from biascore.basics.keys import HUB_TOKENS, warn_if_readable
    from biascore.basics.options import Options
    from biascore.basics.progress import Progress
    from biascore.basics.suggest import did_you_mean
    from biascore.basics.wording import listed, quoted
    from biascore.exporting.exporter import Exported, Exporter
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
    from biascore.metric import SELF, Context, Diagnosis, Diagnostic, Draws, Metric, MetricOptions, Resamples
    from biascore.models.adapter import Adapter, Backend, Identity, LoadContext, ModelPlugin
    from biascore.models.cost import Cost
    from biascore.models.model import Model
    from biascore.models.quantities import find_output
    from biascore.models.questions import Familiarity, Level, Masked, Span, Text, TokenLogprobs
    from biascore.models.refs import ModelRef
    from biascore.models.training import Checkpoints, Trained, Training
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
    from biascore.stimuli import Catalogue, Origin, PairList, SentenceList, TemplateList, Test, WordList
    from biascore.stimuli.dataset import DataFile, DataFormat
    from biascore.stimuli.entries import (
        LANGUAGE_PATTERN,
        About,
        AboutTest,
        Entry,
        ListEntry,
        Lists,
        Name,
        Problem,
        Prose,
        Reference,
        RolesEntry,
        Section,
        TestEntry,
        Word,
        Words,
        check_characters,
        check_not_empty,
    )
    from biascore.stimuli.lists import Doubt, Stimuli
    from biascore.stimuli.resizing import Resizing, said
    from biascore.transform import (
        IN_SHORT,
        FittedTransform,
        Transform,
        TransformContext,
        Vectors,
        VocabularyUnknownError,
    )
else:
    __getattr__, __dir__ = lazily(__name__)

__all__ = [
    "BLOCK_ROWS",
    "EVERY_ITEM",
    "HUB_TOKENS",
    "IN_SHORT",
    "LANGUAGE_PATTERN",
    "MAX_UNPACKED",
    "REPEATED",
    "SELF",
    "About",
    "AboutTest",
    "Adapter",
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
    "Diagnosis",
    "Diagnostic",
    "Dots",
    "Doubt",
    "Draws",
    "Entry",
    "Equivalence",
    "Estimate",
    "Examples",
    "Exported",
    "Exporter",
    "Familiarity",
    "Figure",
    "Finding",
    "FittedTransform",
    "FrozenMap",
    "Gender",
    "GenderEvidence",
    "GenderPair",
    "Heat",
    "Histogram",
    "Identity",
    "Language",
    "Level",
    "Limit",
    "Lines",
    "ListEntry",
    "Lists",
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
    "Name",
    "Options",
    "Origin",
    "PValue",
    "PairList",
    "Plane",
    "Point",
    "Problem",
    "Progress",
    "Prose",
    "Range",
    "Reference",
    "Resamples",
    "Resizing",
    "RolesEntry",
    "Row",
    "Run",
    "Scalar",
    "Scorer",
    "Section",
    "SentenceList",
    "Span",
    "SpeakerFrames",
    "SpeakerGender",
    "SpeakerGenderDetector",
    "Specificity",
    "Stimuli",
    "SummaryRow",
    "Table",
    "TableOptions",
    "TemplateList",
    "Test",
    "TestEntry",
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
    "Word",
    "WordList",
    "Words",
    "caveats_of",
    "check_characters",
    "check_not_empty",
    "check_regular",
    "check_sentences",
    "compare_pair",
    "did_you_mean",
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
    "said",
    "summary_rows",
    "trace_gender",
    "user_path",
    "vectors_of",
    "warn_if_readable",
]
