"""Valid inputs of the readers of what biascore wrote: runs, bundles, calibrations, states of trainings, caches."""

from __future__ import annotations

import contextlib
import json
import tempfile
import zipfile
from pathlib import Path

import numpy as np

from .seeds import JUDGED, Seeds, folder, good, safetensors


def runs() -> Seeds:
    from tests.builders.runs import measurement, run_of, typical_run

    small = run_of(measurement())
    return [*folder(lambda at: small.save(at / "run")), *folder(lambda at: typical_run().save(at / "run"))]


def bundles() -> Seeds:
    from biascore.archive.bundle import write_bundle
    from tests.builders.runs import measurement, run_of

    found = []
    with tempfile.TemporaryDirectory() as made:
        run_of(measurement(), stimuli=(), models=()).save(Path(made, "run"))
        write_bundle(Path(made, "run"), Path(made, "run.zip"))
        found.append(Path(made, "run.zip").read_bytes())
    return [*found, *folder(_study_bundle, whole=False), *folder(_bundle_of_folder, whole=False)]


def _study_bundle(at: Path) -> None:
    """The bundle of a study with its own words, a data file, a gate and a scenario."""
    from biascore import Engine
    from biascore.archive.bundle import write_bundle
    from tests.builders.word_lists import write_weat
    from tests.cli.conftest import AUDIT

    with tempfile.TemporaryDirectory() as made:
        study = Path(made)
        write_weat(study / "mine")
        (study / "pairs.csv").write_bytes(good("crows-pairs")()[0])
        (study / "audit.toml").write_text(AUDIT + JUDGED, encoding="utf-8")
        with contextlib.chdir(study):
            Engine(cache=None).run("audit.toml").save(study / "run")
            write_bundle(study / "run", at / "run.zip")


def _bundle_of_folder(at: Path) -> None:
    """A bundle with a folder of data, of which its run names the folder and a file."""
    with tempfile.TemporaryDirectory() as made:
        _study_bundle(Path(made))
        with zipfile.ZipFile(Path(made, "run.zip")) as archive:
            members = {one: archive.read(one) for one in archive.namelist()}
    top = "biascore-bundle/"
    body = json.loads(members[f"{top}run/run.json"])
    stated = body["provenance"]["audit"]["data"][0]
    body["provenance"]["audit"]["data"] = [
        {**stated, "source": "d"},
        {**stated, "source": "d/pairs.csv", "name": "p"},
    ]
    own = next(one for one in body["stimuli"] if one["file"] == "pairs.csv")
    body["stimuli"] = [one for one in body["stimuli"] if one is not own]
    body["stimuli"] += [{**own, "file": "d", "sha256": "0" * 64}, {**own, "file": "d/pairs.csv"}]
    members[f"{top}run/run.json"] = json.dumps(body).encode()
    members[f"{top}data/d/pairs.csv"] = members.pop(f"{top}data/pairs.csv")
    with zipfile.ZipFile(at / "run.zip", "w", zipfile.ZIP_DEFLATED) as new:
        for name, content in members.items():
            new.writestr(name, content)


def calibrations() -> Seeds:
    from biascore.calibration.calibration import Calibration, Cell, Size

    cells = tuple(Cell(times=1, planted=x, found=(x, None), verdicts="di") for x in (0.0, 1.0))
    size = Size(times=1, items={"X": 8}, n={"X": 8})
    made = Calibration(
        metric="weat", variant="", test="en/weat6", test_title="t", kind="association", concept="gender", estimate="d",
        unit="sd", neutral=0.0, alpha=0.05, power=0.8, setup={"seed": 1}, sizes=(size,), cells=cells,
    )  # fmt: skip
    return [made.write()]


def checkpoints() -> Seeds:
    from biascore.models.training import Checkpoints

    def write(at: Path) -> None:
        with Checkpoints(at / "state", {"steps": 3, "model": {"ref": "m"}}, minutes=1).keep() as new:
            (new / "state.json").write_text(json.dumps({"step": 2, "losses": [0.5]}), encoding="utf-8")
            (new / "state.safetensors").write_bytes(
                safetensors({"weight/w": np.ones(2), "exp_avg/w": np.ones(2), "step/w": 2.0})
            )

    return folder(write)


def caches() -> Seeds:
    """The file of a cache, and the bytes that answers are kept as."""
    from biascore.models.pipeline.cache import DiskCache

    def write(at: Path) -> None:
        cache = DiskCache(at)
        cache.put({bytes([n]) * 20: bytes(8) for n in range(3)})
        cache.close()

    return folder(write)


def answers() -> Seeds:
    from biascore.models.questions import codecs
    from biascore.models.questions.questions import Chosen, TokenLogprobs

    return [
        *(
            codecs.encode_vector(np.ones(2, dtype=np.float32)),
            codecs.encode_score(0.5),
            codecs.encode_text("x"),
        ),
        codecs.encode_logprobs(TokenLogprobs(("a", "b"), ((0, 1), (1, 2)), (-0.5, -1.0))),
        codecs.encode_chosen(Chosen("text", (), 1, "chosen", "B", (), 0.0)),
    ]
