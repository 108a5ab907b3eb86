"""What these tests share with those in tests: no test touches the user's cache, and stimuli are read once."""

from tests.conftest import _no_user_cache, _own_cache, _stimuli_are_read_once

__all__ = ["_no_user_cache", "_own_cache", "_stimuli_are_read_once"]
