"""The first audit file of a user: an audit with comments that say what may be changed."""

from __future__ import annotations

from typing import Final

from biascore.audits.audit import Audit
from biascore.basics.visible import visible
from biascore.files.toml import schema_line

_HEAD: Final = f"""\
{schema_line("audit")}
# Run this audit: biascore run {{file}}
# What every key means: docs/audits.md, or your editor after: biascore schema audit --out audit.schema.json
"""
_RELEASE: Final = """\
# line = "our model"      # releases of one line are compared with each other
# release = "2026-11"
"""
_MODELS: Final = """
# The model to audit, and controls with a known bias, which are no findings.\
"""
_MEASUREMENTS: Final = """
# Tests by metric; what they are: biascore show TEST, biascore show METRIC.\
"""
_GATE: Final = """
# A rule that the run must pass; if it does not, biascore run ends with exit code 4.
# [[gates]]
# name = "nothing detected"
# measurements = ["*"]        # globs of test ids
# fail_on = "detected"
# inconclusive = "warn"       # or "fail": then a bias must be shown to be small
"""


def commented(audit: Audit, file: str) -> str:
    """The audit as a file of this name (``Audit.to_toml``), with comments; a gate is one of them."""
    text = audit.to_toml()
    if not (audit.line or audit.release):
        text = text.replace("\n\n[[", f"\n{_RELEASE}\n[[", 1)
    for table, comment in (("models", _MODELS), ("measurements", _MEASUREMENTS)):
        text = text.replace(f"\n[[{table}]]\n", f"{comment}\n[[{table}]]\n", 1)
    return _HEAD.format(file=" ".join(visible(file).split())) + text + ("" if audit.gates else _GATE)
