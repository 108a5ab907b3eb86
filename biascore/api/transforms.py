"""How a transform of vectors is written."""

from typing import TYPE_CHECKING

from biascore.basics.lazy import lazily

if TYPE_CHECKING:
    from biascore.basics.frozen import Scalar as Scalar
    from biascore.basics.options import Options as Options
    from biascore.hookspecs import hookimpl as hookimpl
    from biascore.models.transforms.transform import IN_SHORT as IN_SHORT
    from biascore.models.transforms.transform import FittedTransform as FittedTransform
    from biascore.models.transforms.transform import Transform as Transform
    from biascore.models.transforms.transform import TransformContext as TransformContext
    from biascore.models.transforms.transform import Vectors as Vectors
    from biascore.models.transforms.transform import VocabularyUnknownError as VocabularyUnknownError
else:
    __getattr__, __dir__ = lazily(__name__)
