"""The hook specifications: what a model can be asked (five), and what a plugin can contribute (twelve, here).

These signatures are the contract that third parties build on; they change only with a major version.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from biascore.models.questions.capabilities import CapabilitySpecs, hookimpl, hookspec

if TYPE_CHECKING:
    from biascore.adapter import Adapter
    from biascore.command import Command
    from biascore.exporter import Exporter
    from biascore.languages.language import Language
    from biascore.metric import Diagnostic, Metric
    from biascore.models.executor import Executor
    from biascore.models.transforms.transform import Transform
    from biascore.stimuli.dataset import DataFormat
    from biascore.stimuli.entries import TestEntry

CONTRACT: Final = 1
"""The version of the contract between biascore and its plugins. It counts up where a plugin written before has to change.

A plugin says which it was written for, in the module of its entry point: ``biascore_contract = 1``.
"""
OLDEST: Final = 1
"""The oldest contract whose plugins still work."""

__all__ = ["CONTRACT", "OLDEST", "CapabilitySpecs", "DiscoverySpecs", "hookimpl", "hookspec"]


class DiscoverySpecs:
    """What an installed plugin contributes; called once, each plugin in isolation."""

    @hookspec
    def register_adapters(self, register: Callable[[type[Adapter]], None]) -> None:
        """Call ``register`` with each adapter class."""

    @hookspec
    def register_metrics(self, register: Callable[[type[Metric]], None]) -> None:
        """Call ``register`` with each metric class."""

    @hookspec
    def register_diagnostics(self, register: Callable[[type[Diagnostic]], None]) -> None:
        """Call ``register`` with each class that looks at scores of a design for what else may explain them."""

    @hookspec
    def register_kinds(self, register: Callable[[type[TestEntry]], None]) -> None:
        """Call ``register`` with the entry of each kind of test: what ``[tests.ID]`` says, and the test that it becomes."""

    @hookspec
    def register_languages(self, register: Callable[[Language], None]) -> None:
        """Call ``register`` with each language."""

    @hookspec
    def register_wordlists(self, register: Callable[[Path, str], None]) -> None:
        """Call ``register(folder, shown_as)`` with each folder of stimuli of one language."""

    @hookspec
    def register_formats(self, register: Callable[[type[DataFormat]], None]) -> None:
        """Call ``register`` with each class that reads a data file as a test."""

    @hookspec
    def register_transforms(self, register: Callable[[type[Transform]], None]) -> None:
        """Call ``register`` with each class that changes vectors."""

    @hookspec
    def register_exporters(self, register: Callable[[type[Exporter]], None]) -> None:
        """Call ``register`` with each class that writes a run in a form of other tools."""

    @hookspec
    def register_executors(self, register: Callable[[type[Executor]], None]) -> None:
        """Call ``register`` with each class that runs batches of queries on the workers of a cluster."""

    @hookspec
    def register_commands(self, register: Callable[[Command], None]) -> None:
        """Call ``register`` with each command of the command line; import nothing of what it does."""

    @hookspec
    def register_mappings(self, register: Callable[[Path], None]) -> None:
        """Call ``register`` with each TOML file that says what a law or a standard asks, and what of a run serves it."""
