"""biascore measures social bias in embeddings, language models, regressors and translation systems.

>>> from biascore import Engine
>>> run = Engine().measure("weat", "planted:gender=0.5", "en/weat6")
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from biascore.basics.lazy import lazily
from biascore.results.attached import attach

if TYPE_CHECKING:
    from biascore.audits.audit import Audit, AuditTransform
    from biascore.comparing import compare
    from biascore.engine.engine import Engine
    from biascore.results.measurement import Measurement
    from biascore.results.run import Run
    from biascore.stimuli.given import WeatTest
else:
    __getattr__, __dir__ = lazily(__name__)

__all__ = ["Audit", "AuditTransform", "Engine", "Measurement", "Run", "WeatTest", "compare"]

attach(
    summary="biascore.results.summary:summary",
    frame="biascore.results.summary:run_frame",
    report="biascore.report.forms:report",
    plot="biascore.report:plot",
    compare="biascore.comparing:compare",
    untested="biascore.audits.untested:untested",
    three_sentences="biascore.audits.three_sentences:three_sentences",
    run_html="biascore.report.notebook:run_html",
    measurement_html="biascore.report.notebook:measurement_html",
)
