"""Pictures that a finding asks the report to draw."""

from typing import TYPE_CHECKING

from biascore.basics.lazy import lazily

if TYPE_CHECKING:
    from biascore.results.figures import Band as Band
    from biascore.results.figures import Bars as Bars
    from biascore.results.figures import Boxes as Boxes
    from biascore.results.figures import Dots as Dots
    from biascore.results.figures import Examples as Examples
    from biascore.results.figures import Figure as Figure
    from biascore.results.figures import Heat as Heat
    from biascore.results.figures import Histogram as Histogram
    from biascore.results.figures import Limit as Limit
    from biascore.results.figures import Lines as Lines
    from biascore.results.figures import Plane as Plane
    from biascore.results.figures import Point as Point
    from biascore.results.figures import Range as Range
else:
    __getattr__, __dir__ = lazily(__name__)
