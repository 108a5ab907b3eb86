"""Standardize for biascore: a transform of vectors."""

from biascore.api.transforms import hookimpl

from biascore_plugin_standardize.transform import Standardize

biascore_contract = 1


@hookimpl
def register_transforms(register):
    """Provide the transform ``standardize``."""
    register(Standardize)
