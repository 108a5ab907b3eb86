"""How models are opened: adapters and their backends, what these are asked and answer, requests to a service."""

from typing import TYPE_CHECKING

from biascore.basics.lazy import lazily

if TYPE_CHECKING:
    from biascore.basics.options import Options as Options
    from biascore.basics.progress import Progress as Progress
    from biascore.hookspecs import hookimpl as hookimpl
    from biascore.models.adapter import Adapter as Adapter
    from biascore.models.adapter import Backend as Backend
    from biascore.models.adapter import Identity as Identity
    from biascore.models.adapter import LoadContext as LoadContext
    from biascore.models.cost import Cost as Cost
    from biascore.models.http import HttpClient as HttpClient
    from biascore.models.http import HttpReply as HttpReply
    from biascore.models.model import Model as Model
    from biascore.models.quantities import find_output as find_output
    from biascore.models.questions import Familiarity as Familiarity
    from biascore.models.questions import Level as Level
    from biascore.models.questions import Masked as Masked
    from biascore.models.questions import Span as Span
    from biascore.models.questions import Text as Text
    from biascore.models.questions import TokenLogprobs as TokenLogprobs
    from biascore.models.refs import ModelRef as ModelRef
    from biascore.models.training import Checkpoints as Checkpoints
    from biascore.models.training import Trained as Trained
    from biascore.models.training import Training as Training
    from biascore.models.vocabulary import Vocabulary as Vocabulary
else:
    __getattr__, __dir__ = lazily(__name__)
