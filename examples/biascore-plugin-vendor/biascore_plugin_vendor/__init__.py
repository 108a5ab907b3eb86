"""Embeddings of a vendor, asked over HTTP."""

from biascore.api.adapters import hookimpl

from biascore_plugin_vendor.adapter import VendorAdapter
from biascore_plugin_vendor.short import Short

biascore_contract = 1


@hookimpl
def register_adapters(register):
    register(VendorAdapter)


@hookimpl
def register_transforms(register):
    register(Short)
