"""What these tests share with those in tests: they are hermetic, and stimuli are read once."""

from tests.conftest import (
    _new_cache,
    _no_user_cache,
    _own_cache,
    _stimuli_are_read_once,
    pytest_collection_finish,
    pytest_configure,
)

__all__ = [
    "_new_cache",
    "_no_user_cache",
    "_own_cache",
    "_stimuli_are_read_once",
    "pytest_collection_finish",
    "pytest_configure",
]
