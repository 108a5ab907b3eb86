"""Implements no hook: the decorator was forgotten."""


def register_adapters(register):
    """Not marked with @hookimpl."""
