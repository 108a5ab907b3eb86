"""Checks that the author of a plugin runs in a test of one line: ``check_metric(Mac, "en/mac")``.

A contract checks the same clause by clause; ``biascore.testing.pytest_plugin`` makes a test of each.
"""

from biascore.testing.adapters import AdapterContract, check_adapter
from biascore.testing.commands import CommandContract, check_command
from biascore.testing.contract import CLAUSES, Clause, NotAskedError
from biascore.testing.exporters import ExporterContract, check_exporter
from biascore.testing.formats import FormatContract, check_format
from biascore.testing.languages import LanguageContract, check_language
from biascore.testing.metrics import MetricContract, NotAskedWarning, check_metric
from biascore.testing.transforms import TransformContract, check_transform

__all__ = [
    "CLAUSES",
    "AdapterContract",
    "Clause",
    "CommandContract",
    "ExporterContract",
    "FormatContract",
    "LanguageContract",
    "MetricContract",
    "NotAskedError",
    "NotAskedWarning",
    "TransformContract",
    "check_adapter",
    "check_command",
    "check_exporter",
    "check_format",
    "check_language",
    "check_metric",
    "check_transform",
]
