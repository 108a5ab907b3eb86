"""What measurers bring: every input of ../shared/cases gives the number that is right, or the sentence that helps.

Each folder has the command as somebody typed it (``run.sh``), and says what is right (``expected.md``).
"""

from __future__ import annotations

import json
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from biascore import Run

from ..builders.plugin_dists import installed
from ..builders.slavic import SLAVIC
from .conftest import Done

CASES = Path(__file__).parents[3] / "shared" / "cases"
ASKED = "#!{python}\nimport json, sys\njson.dump(sys.argv[1:], open({out!r}, 'w'))\n"


@dataclass(frozen=True)
class Right:
    """What is right: the exit code, the verdict, numbers to as many digits as are written, and what is said or not."""

    code: int = 0
    verdict: str = ""
    numbers: Mapping[str, float] = field(default_factory=dict)
    lost: int = 0
    says: tuple[str, ...] = ()
    never: tuple[str, ...] = ()


def vectors(*never: str) -> Right:
    return Right(verdict="inconclusive", numbers={"effect size d": 0.86}, never=("truncated", *never))


def questions(bias: float, accuracy: float, verdict: str = "inconclusive", *, disambiguated: float) -> Right:
    """Accuracy where the context does not tell, and where it does."""
    return Right(
        verdict=verdict,
        numbers={
            "ambiguous bias": bias,
            "ambiguous accuracy": accuracy,
            "disambiguated accuracy": disambiguated,
        },
    )


def pairs() -> Right:
    return Right(verdict="detected", numbers={"stereotype score B": 90.0})


BOTH = Right(says=("conflict: ",), never=("\nmasculine: ", "\nfeminine: "))
PLANTED = Right(verdict="inconclusive", numbers={"ambiguous bias": 0.25})
RIGHT = {
    "a02": vectors(),
    "a02b": vectors(),
    "a10": vectors("2 dimensions"),
    "a18": vectors(),
    "a19": vectors(),
    "a19b": vectors(),
    "c06": Right(verdict="inconclusive", numbers={"effect size d": 1.552}, never=("mean of their words:",)),
    "g_es": BOTH,
    "g_sk": BOTH,
    "g_sl": BOTH,
    "l01b": questions(1 / 6, 1 / 3, disambiguated=0.25),
    "l03c": questions(0.0, 0.0, disambiguated=0.5),
    "l11c": questions(1.0, 0.0, "detected", disambiguated=1.0),
    "l11d": questions(1.0, 0.0, "detected", disambiguated=1.0),
    "l13": questions(0.0, 1.0, disambiguated=0.0),
    "l16": questions(0.0, 1.0, disambiguated=0.0),
    "m01c": Right(2, says=("model.safetensors", "model-00001-of-00006.safetensors"), never=("detected",)),
    "m32": Right(2, says=("tf_model.h5", "from_tf=True")),
    "m32b": Right(2, says=("flax_model.msgpack", "from_flax=True")),
    "m33": Right(2, says=("git lfs pull",)),
    "m40b": Right(2, says=("1_Pooling/config.json",)),
    "q02": PLANTED,
    "q03": PLANTED,
    "q04": PLANTED,
    "s01": Right(2, says=("[MASK]",)),
    "t03": Right(2, says=("'0'", "values={stereo_antistereo = ", "look up which is which")),
    "t05": pairs(),
    "t09": pairs(),
    "t11": pairs(),
    "t14": pairs(),
    "w01": Right(5, "not measured", lost=24, says=("'0'", "labels")),
    "w02": Right(5, "not measured", lost=24, says=("'ans0'", "labels")),
    "x09": Right(5, "not measured", lost=80, says=("disagree",), never=("English (",)),
    "x12": Right(verdict="inconclusive", numbers={"raw global masculine rate f_m": 0.5}),
}
FOLLOWED = {
    "t03": (("-o", 'data.values={stereo_antistereo={"0"="stereo","1"="antistereo"}}'), pairs()),
    "w01": (("-o", 'model.labels=["0","1","2"]'), questions(0.0, 0.0, disambiguated=0.5)),
    "w02": (("-o", 'model.labels=["ans0","ans1","ans2"]'), questions(0.0, 0.0, disambiguated=0.5)),
}
"""What the sentence advises, and what is right then."""


def folders() -> list[str]:
    return sorted(path.parent.name for path in CASES.glob("*/run.sh"))


@pytest.mark.slow
def test_every_case_has_what_is_right() -> None:
    if not folders():
        pytest.skip("the inputs of ../shared/cases are absent")
    assert folders() == sorted(RIGHT)


@pytest.fixture
def command(tmp_path: Path) -> Callable[[str], list[str]]:
    """``command("a02")``: what its ``run.sh`` asks of biascore; its files are then in the folder of the test."""

    def of(case: str) -> list[str]:
        out, asked = tmp_path / "asked.json", tmp_path / "asked"
        asked.write_text(ASKED.format(python=sys.executable, out=str(out)), encoding="utf-8")
        asked.chmod(asked.stat().st_mode | stat.S_IXUSR)
        shutil.copytree(CASES / case, tmp_path, dirs_exist_ok=True)
        for path in tmp_path.rglob("*"):
            path.chmod(path.stat().st_mode | stat.S_IWUSR)
        subprocess.run(["sh", tmp_path / "run.sh"], env={"BIASCORE": str(asked)}, check=True)
        found: list[str] = json.loads(out.read_text(encoding="utf-8"))
        return found

    return of


@pytest.fixture
def slavic(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with ExitStack() as stack:
        stack.enter_context(installed(SLAVIC, tmp_path_factory.mktemp("site")))
        yield


Said = Callable[[str, tuple[str, ...], Right], None]


@pytest.fixture
def check(command: Callable[[str], list[str]], biascore: Callable[..., Done]) -> Said:
    """``check("a02", more options, right)``."""

    def of(case: str, more: tuple[str, ...], right: Right) -> None:
        if case not in folders():
            pytest.skip("the inputs of ../shared/cases are absent")
        if case.startswith(("m", "s")):
            pytest.importorskip("torch", reason="needs biascore[hf]")
        asked = command(case)
        kept = ("--out", "run", "--verbose") if asked[0] == "measure" else ()
        done = biascore(*asked, *more, *kept, code=right.code)
        assert Path("run").exists() == bool(right.verdict)
        if right.verdict:
            run = Run.load("run")
            (measured,) = run
            assert run.verdicts[0].verdict == right.verdict
            found = {name: measured.estimate(name).value for name in right.numbers}
            assert found == pytest.approx(dict(right.numbers), abs=0.005)
            assert len(measured.coverage.missing) == right.lost
        shown = " ".join((done.stdout + done.stderr).split())  # lines are broken to the width
        assert not [part for part in right.says if part not in shown]
        assert not [part for part in right.never if part in shown]

    return of


@pytest.mark.slow
@pytest.mark.usefixtures("slavic")
@pytest.mark.parametrize("case", RIGHT)
def test_a_case_gives_what_is_right(case: str, check: Said) -> None:
    check(case, (), RIGHT[case])


@pytest.mark.slow
@pytest.mark.parametrize("case", FOLLOWED)
def test_what_a_message_advises_works(case: str, check: Said) -> None:
    more, right = FOLLOWED[case]
    check(case, more, right)
