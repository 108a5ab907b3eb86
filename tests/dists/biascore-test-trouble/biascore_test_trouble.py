"""Models that fail in the way that their reference names, and print whatever they do.

``BIASCORE_TEST_TROUBLE`` set to ``over``: none of them fails.
"""

import os
import signal
import sys

import numpy as np

from biascore.api.adapters import Adapter, Backend, Identity, hookimpl
from biascore.errors import RateLimitError

print("printed at import")


def trouble(what):
    """Do what the reference names."""
    print(f"printed before {what}")
    if os.environ.get("BIASCORE_TEST_TROUBLE") == "over":
        return
    match what:
        case "exit":
            sys.exit(0)
        case "interrupt":
            raise KeyboardInterrupt
        case "control-c":
            os.kill(os.getpid(), signal.SIGINT)
        case "memory":
            raise MemoryError
        case "zero":
            raise ZeroDivisionError("division by zero")
        case "down":
            raise RateLimitError("trouble: the service is busy. Run again later", retry_after=0)
        case "hang":
            signal.pause()


class TroubleBackend(Backend):
    """Fails from its second batch on."""

    batch = 8

    def __init__(self, what):
        """Take what to do."""
        self._what = what
        self._calls = 0
        self.identity = Identity(digest=f"test:{what}", sentence_vector="made up")

    @hookimpl
    def embed(self, texts):
        """Answer the first batch."""
        self._calls += 1
        if self._calls > 1:
            trouble(self._what)
        return np.array([[len(t.text), ord(t.text[0]), ord(t.text[-1])] for t in texts], dtype=np.float32)


class TroubleAdapter(Adapter):
    """Opens ``trouble:WHAT``, and ``trouble:load-WHAT`` not."""

    id = "trouble"
    summary = "fails"
    example = "trouble:zero"
    capabilities = frozenset({"embed"})

    def load(self, ref, options, context):
        """Open, or not."""
        if ref.locator.startswith("load-"):
            trouble(ref.locator.removeprefix("load-"))
        return TroubleBackend(ref.locator)


@hookimpl
def register_adapters(register):
    """Provide ``trouble:``."""
    register(TroubleAdapter)
