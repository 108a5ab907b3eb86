"""Checks that the author of a plugin runs in a test of one line: ``check_metric(Mac, "en/mac")``.

A contract checks the same clause by clause; ``biascore.testing.pytest_plugin`` makes a test of each.
"""

from biascore.testing.adapters import AdapterContract as AdapterContract
from biascore.testing.adapters import check_adapter as check_adapter
from biascore.testing.commands import CommandContract as CommandContract
from biascore.testing.commands import check_command as check_command
from biascore.testing.contract import CLAUSES as CLAUSES
from biascore.testing.contract import Clause as Clause
from biascore.testing.contract import NotAskedError as NotAskedError
from biascore.testing.exporters import ExporterContract as ExporterContract
from biascore.testing.exporters import check_exporter as check_exporter
from biascore.testing.formats import FormatContract as FormatContract
from biascore.testing.formats import check_format as check_format
from biascore.testing.languages import LanguageContract as LanguageContract
from biascore.testing.languages import check_language as check_language
from biascore.testing.metrics import MetricContract as MetricContract
from biascore.testing.metrics import NotAskedWarning as NotAskedWarning
from biascore.testing.metrics import check_metric as check_metric
from biascore.testing.transforms import TransformContract as TransformContract
from biascore.testing.transforms import check_transform as check_transform
