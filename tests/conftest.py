"""What all tests share: no test touches the user's cache, and plugins are installed for real but apart."""

from __future__ import annotations

import atexit
import gc
import itertools
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import NoReturn

import pytest

from biascore import Engine
from biascore.plugins import loading
from biascore.stimuli import StimuliFile, catalogue, load_file
from biascore.stimuli.schema import Kinds

from .report.browser import CHROMIUM

ROOT = Path(__file__).resolve().parents[1]
DISTS = (ROOT / "tests" / "dists", ROOT / "examples")
MODES = Path("/usr/share/apertium")
# As docs/adapters/translation.md starts it: apertium-apy has no option for the address, and listens on all.
ON_LOOPBACK = """import functools, tornado.httpserver as t
t.HTTPServer.bind = functools.partialmethod(t.HTTPServer.bind, address="127.0.0.1")
from apertium_apy.apy import main; main()"""
VARIABLES = (
    "BIASCORE_LOAD_PLUGINS",
    "BIASCORE_DISABLE_PLUGINS",
    "BIASCORE_TEST_CALLS",
    "BIASCORE_TEST_SLEEP",
)


def pytest_configure() -> None:
    """Workers start with one thread each: two workers of two threads on two cores took half as long again.

    What is compiled is kept, whatever PYTHONDONTWRITEBYTECODE says: else each worker compiles all tests, and each program
    that a test starts compiles biascore, which takes it half of a second.

    A worker has COLUMNS, and a single process has not: what is printed must not depend on how the tests are run.
    """
    os.environ.pop("COLUMNS", None)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    hide_other_plugins()
    gc.disable()


def pytest_collection_finish() -> None:
    """What is collected stays until the end: the garbage collector need not look through ten thousand tests again.

    It looks through all else ten times less often than Python lets it: that took 7 % of the time.
    """
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)
    gc.enable()


def hide_other_plugins() -> None:
    """Let this process, and those that it starts, find the plugins of biascore only, whatever else is installed.

    Of two distributions of a name the first on the path counts: an empty one hides each that brings plugins. A test that
    needs one puts it in front again.
    """
    others = {
        (point.dist.name, point.dist.version)
        for group in metadata.entry_points().groups
        if group.partition(".")[0] == "biascore"
        for point in metadata.entry_points(group=group)
        if point.dist is not None and point.dist.name != "biascore"
    }
    if not others:
        return
    folder = tempfile.mkdtemp(prefix="hidden-plugins-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name, version in others:
        info = Path(folder) / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    os.environ["PYTHONPATH"] = python_path(folder)
    sys.path.insert(0, folder)


BUILD = """
import os, sys
import hatchling.build
out, *roots = sys.argv[1:]
for root in roots:
    os.chdir(root)
    hatchling.build.build_wheel(out)
"""


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The reference data that are kept beside the repository."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"reference data are not at {folder}")
    return folder


@pytest.fixture(autouse=True, scope="session")
def _no_user_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BIASCORE_CACHE_DIR", str(tmp_path_factory.mktemp("session-cache")))
        for name in VARIABLES:
            patch.delenv(name, raising=False)
        yield


@pytest.fixture(autouse=True, scope="session")
def _stimuli_are_read_once() -> Iterator[None]:
    """The tests make some thousand engines, of which each reads the same files that are installed."""
    files: dict[tuple[object, ...], StimuliFile] = {}

    def read_once(path: Path, display: str, kinds: Kinds | None = None) -> StimuliFile:
        stat = path.stat() if path.is_file() else None
        if stat is None or not path.is_relative_to(ROOT):
            return load_file(path, display, kinds)
        key = (path, display, stat.st_mtime_ns, stat.st_size, *((kinds or Kinds()).entries.values()))
        if key not in files:
            files[key] = load_file(path, display, kinds)
        return files[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalogue, "load_file", read_once)
        yield


@pytest.fixture(autouse=True, scope="session")
def _entry_points_are_read_once() -> Iterator[None]:
    """Half of the time of an engine goes to the metadata of all that is installed; a changed path is read again."""
    found: dict[tuple[object, ...], list[metadata.EntryPoint]] = {}
    read = loading._entry_points

    def read_once() -> list[metadata.EntryPoint]:
        folders = [Path(folder) for folder in sys.path]
        key = tuple((folder.absolute(), folder.stat().st_mtime_ns) for folder in folders if folder.exists())
        if key not in found:
            found[key] = read()
        return found[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loading, "_entry_points", read_once)
        yield


@pytest.fixture(autouse=True, scope="session")
def _interrupts_arrive() -> Iterator[None]:
    """Where tests run in the background, a shell has them ignore SIGINT, and the programs that they start too."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def _new_cache(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    """A folder that nobody has used, which is made by whom it is given to: of most tests, nobody."""
    folder, number = tmp_path_factory.mktemp("caches"), itertools.count()
    return lambda: folder / str(next(number))


@pytest.fixture(autouse=True)
def _own_cache(_new_cache: Callable[[], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIASCORE_CACHE_DIR", str(_new_cache()))


@pytest.fixture(scope="session")
def engine() -> Engine:
    """An engine with all that is installed, which keeps nothing."""
    return Engine(cache=None)


@pytest.fixture(scope="session")
def saved_model(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """``saved_model("gpt2")``: the folder of a tiny model of that kind, with random weights, saved once."""
    pytest.importorskip("torch", reason="needs biascore[hf]")
    pytest.importorskip("transformers", reason="needs biascore[hf]")
    from .builders import tiny

    root = tmp_path_factory.mktemp("models")

    def save(kind: str) -> Path:
        return root / kind if (root / kind).exists() else tiny.save_model(kind, root / kind, 3)

    return save


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which every distribution of tests/dists and examples is installed, from wheels, by pip, offline."""
    pytest.importorskip("hatchling", reason="the test distributions are built with hatchling")
    wheels, target = tmp_path_factory.mktemp("wheels"), tmp_path_factory.mktemp("site")
    roots = sorted(path.parent for folder in DISTS for path in folder.glob("*/pyproject.toml"))
    # The build backend's own hook, as pip would call it, but in one process for all of them.
    subprocess.run([sys.executable, "-c", BUILD, wheels, *roots], check=True, capture_output=True)
    built = sorted(wheels.glob("*.whl"))
    assert len(built) == len(roots)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-compile"]
    subprocess.run(
        [*pip, "--disable-pip-version-check", "--target", target, *built], check=True, capture_output=True
    )
    return target


@pytest.fixture
def python_environment(site: Path) -> Callable[..., dict[str, str]]:
    """The environment of an interpreter that has the named test distributions beside biascore."""

    def of(*dists: str, variables: Mapping[str, str] | None = None) -> dict[str, str]:
        return environment(site, dists, variables)

    return of


def python_path(first: Path | str) -> str:
    """A PYTHONPATH that begins with a folder; what it held already stays behind it."""
    return os.pathsep.join(filter(None, [str(first), os.environ.get("PYTHONPATH", "")]))


def environment(site: Path, dists: tuple[str, ...], variables: Mapping[str, str] | None) -> dict[str, str]:
    allowed = {} if dists == ("all",) else {"BIASCORE_LOAD_PLUGINS": ",".join(["biascore", *dists])}
    return {
        **os.environ,
        "PYTHONPATH": python_path(site),
        "PYTHONIOENCODING": "utf-8",
        **allowed,
        **(variables or {}),
    }


def missing(program: str, packages: str) -> NoReturn:
    """Skip a test for want of a program; where CI is "true" fail, so that nothing is green without it."""
    reason = f"{program} is not installed: apt-get install {packages}"
    if os.environ.get("CI") == "true":
        pytest.fail(f"{reason}, or set CI=false to skip this test")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def chromium() -> None:
    """A browser."""
    if CHROMIUM is None:
        missing("chromium", "chromium")


@pytest.fixture(scope="session")
def apertium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an apertium-apy server with the pairs that are installed."""
    if shutil.which("apertium-apy") is None or not (MODES / "modes" / "eng-spa.mode").exists():
        missing("apertium-apy", "apertium apertium-apy apertium-eng-spa apertium-hbs-eng")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    log = tmp_path_factory.mktemp("apertium") / "log"
    with log.open("w") as output:
        server = subprocess.Popen(
            ["/usr/bin/python3", "-c", ON_LOOPBACK, "-p", str(port), "-j", "1", str(MODES)],
            stdout=output,
            stderr=output,
        )
        try:
            deadline = time.monotonic() + 60
            while not _answers(url):
                assert server.poll() is None, log.read_text()
                assert time.monotonic() < deadline, log.read_text()
                time.sleep(0.05)
            yield url
        finally:
            server.terminate()
            server.wait(30)


def _answers(url: str) -> bool:
    import requests

    try:
        with requests.get(f"{url}/listPairs", timeout=5) as response:
            return response.ok
    except requests.ConnectionError:
        return False
