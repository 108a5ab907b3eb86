"""What plugins import, a module for each kind of extension: ``from biascore.api.metrics import Metric``."""

from typing import Final

CONTRACT: Final = 1
"""The version of the contract between biascore and its plugins. It counts up where a plugin written before has to change.

A plugin says which it was written for, in the module of its entry point: ``biascore_contract = 1``.
"""

OLDEST: Final = 1
"""The oldest contract whose plugins still work."""
