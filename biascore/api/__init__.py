"""What plugins import, a module for each kind of extension: ``from biascore.api.metrics import Metric``."""

from biascore.hookspecs import CONTRACT

__all__ = ["CONTRACT"]
