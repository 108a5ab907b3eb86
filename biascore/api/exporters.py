"""How a run is written in the form of other tools."""

from typing import TYPE_CHECKING

from biascore.basics.lazy import lazily

if TYPE_CHECKING:
    from biascore.exporter import Exported as Exported
    from biascore.exporter import Exporter as Exporter
    from biascore.hookspecs import hookimpl as hookimpl
    from biascore.results.measurement import Measurement as Measurement
    from biascore.results.run import Run as Run
    from biascore.results.summary import SummaryRow as SummaryRow
    from biascore.results.summary import summary_rows as summary_rows
    from biascore.results.tracked import Tracked as Tracked
    from biascore.results.tracked import tracked as tracked
    from biascore.results.tracked import tracked_files as tracked_files
else:
    __getattr__, __dir__ = lazily(__name__)
