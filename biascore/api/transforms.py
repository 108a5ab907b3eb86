"""How a transform of vectors, or a wrapper around the queries of a model, is written."""

from typing import TYPE_CHECKING

from biascore.basics.lazy import lazily

if TYPE_CHECKING:
    from biascore.basics.frozen import Scalar as Scalar
    from biascore.basics.options import Options as Options
    from biascore.hookspecs import hookimpl as hookimpl
    from biascore.models.adapter import ModelPlugin as ModelPlugin
    from biascore.transform import IN_SHORT as IN_SHORT
    from biascore.transform import FittedTransform as FittedTransform
    from biascore.transform import Transform as Transform
    from biascore.transform import TransformContext as TransformContext
    from biascore.transform import Vectors as Vectors
    from biascore.transform import VocabularyUnknownError as VocabularyUnknownError
else:
    __getattr__, __dir__ = lazily(__name__)
