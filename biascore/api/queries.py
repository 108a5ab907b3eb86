"""What a model is asked and what it answers, for adapters, metrics and wrappers."""

from typing import TYPE_CHECKING

from biascore.basics.lazy import lazily

if TYPE_CHECKING:
    from biascore.models.questions import Familiarity as Familiarity
    from biascore.models.questions import Level as Level
    from biascore.models.questions import Masked as Masked
    from biascore.models.questions import Span as Span
    from biascore.models.questions import Text as Text
    from biascore.models.questions import TokenLogprobs as TokenLogprobs
    from biascore.models.vocabulary import Vocabulary as Vocabulary
else:
    __getattr__, __dir__ = lazily(__name__)
