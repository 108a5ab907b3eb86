"""The kinds of test of this installation, for tests that read stimuli files by themselves."""

from __future__ import annotations

from typing import Final

from biascore.plugins.loading import Plugins

from .points import own

KINDS: Final = Plugins(own("kinds")).test_kinds
