"""A transform that goes wrong is named, and costs the measurements of its own model alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biascore import Audit, AuditTransform, Engine, Run
from biascore.api.metrics import Scalar
from biascore.errors import BiascoreError, PluginFailedError, StimuliError

from ..builders.transforms import Centre, CentreOptions
from .conftest import Wrongly

REF = "planted:gender=1"
SAYS = {
    "shape": r"applying wrongly to 32 vector\(s\), on es before, gave shape \(32, \d+\), float32 for vectors of shape",
    "rows": r"gave shape \(31, ",
    "type": r"float64 for vectors of shape",
    "nan": r"made NaN or infinity of the vector of 'rose'",
    "raise": r"fitting wrongly, on es before, raised ZeroDivisionError: nothing to divide by",
    "no fit": r"returned a str, which is no FittedTransform",
    "digest": r"has no digest of what was learnt, 'blake2b:<hex>'",
    "fact": r"fitting wrongly.* made an impossible FitUsed \(facts.accuracy",
}


@pytest.fixture
def few(tmp_path: Path) -> str:
    """The reference of vectors of two words."""
    path = tmp_path / "few.vec"
    path.write_text("2 2\nrose 1 2\nant 3 5\n", encoding="utf-8")
    return f"fasttext:{path}"


def both(how: str, *tests: str) -> Audit:
    transforms = [{"name": "wrongly", "options": {"how": how}}]
    return Audit.from_parts(
        title="Wrong",
        models=[{"name": "es", "ref": REF, "transforms": transforms, "before": True}],
        measurements=[{"metric": "weat", "tests": list(tests), "options": {"resamples": 100}}],
    )


@pytest.mark.parametrize("how", [how for how in SAYS if how != "nan"])
def test_it_costs_its_own_model_and_is_tried_once(made: Engine, how: str) -> None:
    run = made.run(both(how, "en/weat7", "en/weat8"))
    assert [(one.model, one.test) for one in run] == [("es before", "en/weat7"), ("es before", "en/weat8")]
    assert [(one.model, one.test) for one in run.failed] == [("es", "en/weat7"), ("es", "en/weat8")]
    assert {(one.plugin, one.kind) for one in run.failed} == {("made", "answering")}
    assert Wrongly.tried == [how]
    with pytest.raises(PluginFailedError, match=r"^plugin 'made' of unknown 0: .*" + SAYS[how]):
        made.run(both(how, "en/weat7").model_copy(update={"models": (after(how),)}))


def after(how: str) -> Any:
    return both(how, "en/weat7").models[0].model_copy(update={"before": False})


def test_a_known_word_that_becomes_nan_is_told(made: Engine) -> None:
    transform = AuditTransform(name="wrongly", options={"how": "nan"})
    with (
        made.model(REF, transforms=[transform]) as model,
        pytest.raises(PluginFailedError, match=SAYS["nan"]),
    ):
        model.embed(["rose"])


def test_words_that_are_unknown_are_told_and_stay_unknown(made: Engine, few: str) -> None:
    options = CentreOptions(words=("rose", "antt", "ant"))
    with made.model(few, transforms=[Centre(options)]) as model:
        known, unknown = model.embed(["rose", "antt"])
        (record,) = model.used().transforms
    assert np.isfinite(known).all()
    assert np.isnan(unknown).all()
    facts: dict[str, Scalar] = {"steps": 1, "centre: words used": 2, "centre: words out of vocabulary": 1}
    assert record.fits[0].facts == facts
    (warning,) = record.fits[0].warnings
    assert warning == (
        "1 of the 3 words of 'centre' that centre is learnt from are out of vocabulary: 'antt'"
    )


def test_its_own_error_is_passed_on(made: Engine, few: str) -> None:
    transform = AuditTransform(name="centre", options={"words": ("antt",)})
    with (
        made.model(few, transforms=[transform]) as model,
        pytest.raises(StimuliError, match="the model knows none of the words"),
    ):
        model.embed(["rose"])


def test_it_is_mended_and_the_run_goes_on(made: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    first = made.run(both("raise", "en/weat7"))
    monkeypatch.setattr(Wrongly, "mended", True)
    second: Run = made.run(both("raise", "en/weat7"))
    assert (len(first), len(second), second.failed) == (1, 2, ())
    assert second[0].model_dump() == first[0].model_dump()
    assert [one.questions.asked for one in second.models] == [0, 0]


def test_another_basis_is_another_record(made: Engine) -> None:
    def digests(words: tuple[str, ...]) -> tuple[str, str]:
        with made.model(REF, transforms=[AuditTransform(name="centre", options={"words": words})]) as model:
            model.embed(["rose"])
            return model.identity.digest, model.used().transforms[0].fits[0].digest

    one, other = digests(("rose",)), digests(("ant",))
    assert one == digests(("rose",))
    assert one[0] != other[0]
    assert one[1] != other[1]


def test_a_slow_fit_ends_at_the_time_limit(
    made: Engine, plugins: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    def forever(*_: object) -> None:
        while True:
            pass

    monkeypatch.setattr(Wrongly, "fit", forever)
    monkeypatch.setattr(made, "_services", made._services.__class__(time_limit=0.05))
    with (
        made.model(REF, transforms=[AuditTransform(name="wrongly", options={"how": "raise"})]) as model,
        pytest.raises(BiascoreError, match=r"wrongly.* took longer than the 0\.05 seconds"),
    ):
        model.embed(["rose"])
