"""``Engine.measure`` is an audit of one measurement; open models and Test objects are its only special case."""

from __future__ import annotations

from typing import Any, Final

import pytest

from biascore import Audit, Engine
from biascore.errors import OptionsError

REF, TEST = "planted:gender=1", "en/weat7"
OPTIONS: Final[dict[str, Any]] = {"resamples": 100, "draws": 100, "reference": "none"}


@pytest.mark.parametrize("opened", [False, True])
@pytest.mark.parametrize("held", [False, True])
def test_it_gives_what_the_audit_gives(engine: Engine, opened: bool, held: bool) -> None:
    audit = Audit.from_parts(
        title="the same",
        models=[{"ref": REF}],
        measurements=[{"metric": "weat", "tests": [TEST], "options": OPTIONS}],
    )
    test = engine.catalogue.test(TEST) if held else TEST
    model = engine.model(REF) if opened else REF
    found = engine.measure("weat", model, test, **OPTIONS)
    assert found.results_digest() == engine.run(audit).results_digest()


def test_it_refuses_what_an_audit_refuses(engine: Engine) -> None:
    one, other = (engine.model(REF, name="same") for _ in range(2))
    with pytest.raises(OptionsError, match="several models are called 'same'"):
        engine.measure("weat", [one, other], TEST)
    with pytest.raises(OptionsError, match="seed must be"):
        Engine(cache=None, seed=-1).measure("weat", REF, TEST)
    with pytest.raises(OptionsError, match="tests names none"):
        engine.measure("weat", REF, [])
