"""What a model is asked and what it answers, for adapters and metrics."""

from typing import TYPE_CHECKING

from biascore.basics.lazy import lazily

if TYPE_CHECKING:
    from biascore.models.pipeline.hooks import way_of as way_of
    from biascore.models.questions.choosing import LETTERS as LETTERS
    from biascore.models.questions.choosing import by_letters as by_letters
    from biascore.models.questions.choosing import by_likelihood as by_likelihood
    from biascore.models.questions.choosing import by_text as by_text
    from biascore.models.questions.choosing import missing as missing
    from biascore.models.questions.choosing import order_of as order_of
    from biascore.models.questions.choosing import refused as refused
    from biascore.models.questions.choosing import refuses as refuses
    from biascore.models.questions.choosing import rotations as rotations
    from biascore.models.questions.choosing import written_out as written_out
    from biascore.models.questions.questions import NOT_ASKED as NOT_ASKED
    from biascore.models.questions.questions import Choice as Choice
    from biascore.models.questions.questions import Chosen as Chosen
    from biascore.models.questions.questions import Continuation as Continuation
    from biascore.models.questions.questions import Familiarity as Familiarity
    from biascore.models.questions.questions import Level as Level
    from biascore.models.questions.questions import Masked as Masked
    from biascore.models.questions.questions import Span as Span
    from biascore.models.questions.questions import Text as Text
    from biascore.models.questions.questions import TokenLogprobs as TokenLogprobs
    from biascore.models.questions.questions import Way as Way
    from biascore.models.questions.questions import check_text as check_text
    from biascore.models.questions.reasoning import without_reasoning as without_reasoning
    from biascore.models.vocabulary import Vocabulary as Vocabulary
else:
    __getattr__, __dir__ = lazily(__name__)
