"""What a language knows of its grammar: in which gender a sentence speaks of its speaker."""

from typing import TYPE_CHECKING

from biascore.basics.lazy import lazily

if TYPE_CHECKING:
    from biascore.hookspecs import hookimpl as hookimpl
    from biascore.languages.gender import Gender as Gender
    from biascore.languages.gender import GenderEvidence as GenderEvidence
    from biascore.languages.gender import GenderPair as GenderPair
    from biascore.languages.gender import SpeakerGender as SpeakerGender
    from biascore.languages.gender import SpeakerGenderDetector as SpeakerGenderDetector
    from biascore.languages.gender import compare_pair as compare_pair
    from biascore.languages.gender import first_sentence as first_sentence
    from biascore.languages.gender import gender_pair as gender_pair
    from biascore.languages.gender_rules import language_with_rules as language_with_rules
    from biascore.languages.gender_rules import load_grammar as load_grammar
    from biascore.languages.gender_table import check_sentences as check_sentences
    from biascore.languages.gender_table import read_sentences as read_sentences
    from biascore.languages.gender_trace import Trace as Trace
    from biascore.languages.gender_trace import TracedWord as TracedWord
    from biascore.languages.gender_trace import TraceStep as TraceStep
    from biascore.languages.gender_trace import trace_gender as trace_gender
    from biascore.languages.guess import other_language as other_language
    from biascore.languages.language import Language as Language
    from biascore.languages.language import SpeakerFrames as SpeakerFrames
    from biascore.languages.language import find_language as find_language
    from biascore.languages.names import language_name as language_name
else:
    __getattr__, __dir__ = lazily(__name__)
