"""How models are opened: adapters, their backends, and requests to a service."""

from typing import TYPE_CHECKING

from biascore.basics.lazy import lazily

if TYPE_CHECKING:
    from biascore.adapter import Adapter as Adapter
    from biascore.adapter import LoadContext as LoadContext
    from biascore.basics.options import Options as Options
    from biascore.basics.options import ServiceOptions as ServiceOptions
    from biascore.basics.progress import Progress as Progress
    from biascore.hookspecs import hookimpl as hookimpl
    from biascore.models.backend import Backend as Backend
    from biascore.models.backend import Identity as Identity
    from biascore.models.backend import Told as Told
    from biascore.models.model import Model as Model
    from biascore.models.pipeline.http import HttpClient as HttpClient
    from biascore.models.pipeline.http import HttpReply as HttpReply
    from biascore.models.questions.cost import Cost as Cost
    from biascore.models.questions.quantities import find_output as find_output
    from biascore.models.refs import ModelRef as ModelRef
    from biascore.models.training import Checkpoints as Checkpoints
    from biascore.models.training import Trained as Trained
    from biascore.models.training import Training as Training
else:
    __getattr__, __dir__ = lazily(__name__)
