"""Puts an observer around every model: it writes down each call, then sleeps.

``BIASCORE_TEST_CALLS`` names the file, one line ``hook<TAB>questions`` per call;
``BIASCORE_TEST_SLEEP`` gives the seconds.
"""

import os
import time
from pathlib import Path

from biascore.api.transforms import ModelPlugin, hookimpl


def _observe(hook, questions):
    file = os.environ.get("BIASCORE_TEST_CALLS")
    if file:
        with Path(file).open("a") as stream:
            stream.write(f"{hook}\t{len(questions)}\n")
    time.sleep(float(os.environ.get("BIASCORE_TEST_SLEEP", "0")))


class Slow(ModelPlugin):
    """Leaves every answer as it is."""

    name = "slow"
    role = "observer"

    @hookimpl(wrapper=True)
    def embed(self, texts):
        """Observe."""
        answer = yield
        _observe("embed", texts)
        return answer

    @hookimpl(wrapper=True)
    def mask_logprob(self, queries):
        """Observe."""
        answer = yield
        _observe("mask_logprob", queries)
        return answer

    @hookimpl(wrapper=True)
    def translate(self, texts):
        """Observe."""
        answer = yield
        _observe("translate", texts)
        return answer

    @hookimpl(wrapper=True)
    def score(self, texts):
        """Observe."""
        answer = yield
        _observe("score", texts)
        return answer


@hookimpl
def model_plugins(ref):
    """One observer for each model."""
    return [Slow()]
