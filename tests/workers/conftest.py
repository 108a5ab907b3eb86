"""Workers that are no processes, which keep what is sent to them; and a plugin whose models end, fail and wait."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, ClassVar, Self

import pytest

from biascore import Engine, Run
from biascore.api.executors import Cluster, Executor
from biascore.engine import worker

PLUGIN = """
import os, signal, time
from pathlib import Path
from typing import ClassVar

import numpy as np

from biascore.api.adapters import Adapter, Backend, Identity, Options, hookimpl
from biascore.errors import AnswerError, MissingExtraError, QuestionError, RateLimitError


class UnsentError(QuestionError):
    def __init__(self):
        super().__init__("cannot travel")
        self.held = lambda: None


class EndsOptions(Options):
    how: str = ""
    size: int = 2


class EndsBackend(Backend):
    def __init__(self, folder, options):
        self.folder, self.how, self.batch = Path(folder), options.how, options.size
        if self.how == "extra":
            raise MissingExtraError("ends:", "more", "biascore-test-ends")
        if self.how == "opens slowly":
            with (self.folder / "log").open("a") as log:
                print(os.getpid(), "opening", file=log, flush=True)
            time.sleep(100)
        other = f" of {os.getpid()}" if self.how == "other" else ""
        self.identity = Identity(digest="test:ends" + other, facts={"how": "is no matter"})

    @hookimpl
    def embed(self, texts):
        words = [text.text for text in texts]
        with (self.folder / "log").open("a") as log:
            print(os.getpid(), *words, file=log, flush=True)
        flag = self.folder / "ended"
        if self.how == "once" and len(words) > 1:
            try:
                flag.touch(exist_ok=False)  # two workers may come here at once
                os.kill(os.getpid(), signal.SIGKILL)
            except FileExistsError:
                pass
        if self.how == "always":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.how == "waits":
            time.sleep(60)
        if self.how == "foreign":
            raise ValueError("no such luck")
        if self.how == "exit":
            raise SystemExit(3)
        if self.how == "unsent":
            raise UnsentError
        if self.how == "lambda":
            return lambda: None
        if self.how == "usable":
            raise AnswerError("one is none", usable={0: self.vectors(words)[0]})
        if self.how == "rate":
            raise RateLimitError("slower", retry_after=2000.0)
        return self.vectors(words)

    def vectors(self, words):
        rows = [np.random.default_rng(list(word.encode())).standard_normal(8) for word in words]
        return np.array(rows, dtype=np.float32)

    def close(self):
        with (self.folder / "closed").open("a") as log:
            print(os.getpid(), file=log)


class EndsAdapter(Adapter[EndsOptions]):
    id = "ends"
    summary = "ends the process that asks it"
    example = "ends:folder"
    capabilities = frozenset({"embed"})
    secret_env_vars: ClassVar = ("ENDS_TOKEN",)

    def load(self, ref, options, context):
        if options.how == "secret":
            raise ValueError("the token is " + os.environ["ENDS_TOKEN"])
        return EndsBackend(ref.locator, options)


@hookimpl
def register_adapters(register):
    register(EndsAdapter)
"""


@pytest.fixture(scope="module")
def ends(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The plugin of ``ends:`` is installed here and where processes are started."""
    site = tmp_path_factory.mktemp("ends")
    info = site / "biascore_test_ends-1.0.dist-info"
    info.mkdir()
    (site / "biascore_test_ends.py").write_text(PLUGIN, encoding="utf-8")
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: biascore-test-ends\nVersion: 1.0\n", encoding="utf-8"
    )
    (info / "entry_points.txt").write_text("[biascore]\nends = biascore_test_ends\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(site))
        patch.setenv(
            "PYTHONPATH", os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH", "")]))
        )
        patch.setattr(
            worker, "_checker", cache(worker._checker.__wrapped__)
        )  # other tests have other plugins
        assert metadata.version("biascore-test-ends") == "1.0"
        yield
    sys.modules.pop("biascore_test_ends", None)


class Here(Executor):
    """Two workers of this process; all that would travel is pickled, and kept in ``sent`` and ``returned``."""

    name = "here"
    summary = "this process"
    schemes: ClassVar[tuple[str, ...]] = ("here",)
    slots = 2

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.returned: list[Any] = []
        self.closed = 0
        self.altered: Callable[[str, Any], Any] = lambda _worker, answer: answer

    @classmethod
    def connect(cls, cluster: Cluster) -> Self:  # noqa: ARG003
        return cls()

    def everywhere(self, call: Callable[[], Any]) -> Mapping[str, Any]:
        return {worker: self.altered(worker, self.submit(call)) for worker in ("one", "two")}

    def submit(self, call: Callable[[], Any]) -> Any:
        self.sent.append(pickle.dumps(call))
        self.returned.append(pickle.loads(self.sent[-1])())
        return self.returned[-1]

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def here() -> Here:
    """Workers of this process."""
    return Here()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where a model of ``ends:`` writes whom it was asked by, and what."""
    (tmp_path / "model").mkdir()
    return tmp_path / "model"


def log_of(folder: Path) -> list[tuple[int, tuple[str, ...]]]:
    """Process and words of each batch, in the order in which they were begun."""
    lines = (folder / "log").read_text().splitlines()
    return [(int(line.split()[0]), tuple(line.split()[1:])) for line in lines]


def stored(run: Run, folder: Path) -> dict[str, bytes]:
    """The files of a stored run, without the times and the hash over them."""
    times = {"started": 0.0, "finished": 0.0, "harmless_seconds": 0.0}
    run.model_copy(update={"provenance": run.provenance.model_copy(update=times)}).save(folder)
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def local_and_on(
    executor: Executor, tmp_path: Path, metric: str, ref: str, test: str, **options: Any
) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """A stored run of a process, and of workers."""
    found = []
    for number, given in enumerate((None, executor)):
        engine = Engine(cache=tmp_path / f"cache{number}", executor=given)
        with engine.model(ref, name="model", **options) as model:
            found.append(stored(engine.measure(metric, model, test), tmp_path / f"run{number}"))
        engine.close()
    return found[0], found[1]
