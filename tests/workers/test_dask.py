"""Real clusters of Dask: equal runs, workers that end, lack something or are all gone, Ctrl-C, TLS, resources."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from biascore import Engine
from biascore.errors import MissingExtraError, ModelLoadError, PluginError, PluginFailedError, WorkerError
from biascore.models.executor import Cluster

from .conftest import local_and_on, log_of

distributed = pytest.importorskip("distributed", reason="needs biascore[distributed]")
dask = pytest.importorskip("dask")

from biascore_adapters.dask import DaskExecutor  # noqa: E402


def cluster_of(**given: Any) -> Any:
    whole = {
        "threads_per_worker": 1,
        "dashboard_address": "127.0.0.1:0",
        "memory_limit": 0,
        "silence_logs": 60,
    }
    return distributed.LocalCluster(**{**whole, **given})


def words(model: Any, count: int = 8) -> Any:
    return model.embed([f"word{number}" for number in range(count)])


@pytest.fixture(scope="module")
def restarted(ends: None) -> Iterator[Any]:
    """A client of two workers, each a process; one that ended is started again, some time later."""
    with cluster_of(n_workers=2) as cluster, distributed.Client(cluster) as client:
        yield client


@pytest.fixture
def processes(restarted: Any) -> Any:
    """A client of two workers, which are both there: a test before may have ended one."""
    restarted.wait_for_workers(2, timeout=120)
    return restarted


@pytest.fixture
def threads(ends: None) -> Iterator[Any]:
    """A client of a worker that is a thread of this process."""
    with cluster_of(n_workers=1, processes=False) as cluster, distributed.Client(cluster) as client:
        yield client


def test_a_cluster_in_this_process(threads: Any, folder: Path, tmp_path: Path) -> None:
    local, there = local_and_on(
        DaskExecutor(threads), tmp_path, "weat", f"ends:{folder}", "en/weat6", size=20
    )
    assert local == there
    assert threads.status == "running"  # it was given


def test_no_worker_with_the_tags_is_an_error_after_a_time(threads: Any, folder: Path) -> None:
    executor = DaskExecutor(threads, {"GPU": 1}, patience=0.1)
    with pytest.raises(
        WorkerError, match=r"no worker with GPU=1 is at inproc.*none came in 0\.1 seconds. Start some"
    ):
        Engine(cache=None, executor=executor).model(f"ends:{folder}")


def test_no_scheduler_at_an_address_is_an_error() -> None:
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "200ms"}),
        pytest.raises(WorkerError, match=r"no scheduler answers at tcp://127\.0\.0\.1:9 .*Start one"),
    ):
        DaskExecutor.connect(Cluster("tcp://127.0.0.1:9"))


def test_without_the_extra_its_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before any model is asked."""
    find = importlib.util.find_spec
    lacks = lambda name: None if name == "distributed" else find(name)  # noqa: E731
    monkeypatch.setattr("biascore_adapters.dask.find_spec", lacks)
    with pytest.raises(
        MissingExtraError, match=r"a Dask cluster needs .*biascore\[distributed\]|pip install"
    ):
        Engine(cache=None, executor=2)


@pytest.mark.slow
@pytest.mark.parametrize("capability", ["masked", "embedding"])
def test_a_run_on_processes_is_the_local_run(
    processes: Any, saved_model: Callable[[str], Path], tmp_path: Path, capability: str
) -> None:
    metric = {"masked": "lpbs", "embedding": "weat"}[capability]
    executor = DaskExecutor(processes)
    ref = f"hf:{saved_model('bert-uncased')}"
    local, there = local_and_on(executor, tmp_path, metric, ref, "en/weat6", threads=1)
    assert local == there


@pytest.mark.slow
def test_a_worker_that_is_killed_at_a_batch_costs_nothing(
    processes: Any, folder: Path, tmp_path: Path
) -> None:
    found = []
    for number, executor in enumerate((DaskExecutor(processes), None)):
        engine = Engine(cache=tmp_path / f"cache{number}", executor=executor)
        with engine.model(f"ends:{folder}", how="once") as model:
            found.append((words(model, 20).tobytes(), model.counts))
        engine.close()
    assert (folder / "ended").exists()
    assert found[0] == found[1]  # the answers, and how many were counted
    asked = [batch for _, batch in log_of(folder)]
    assert len(asked) == 10 + 1 + 10  # one batch twice
    assert len({pid for pid, _ in log_of(folder)[:11]}) > 1


@pytest.mark.slow
def test_a_batch_that_ends_every_worker_is_given_up(ends: None, folder: Path) -> None:
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        cluster_of(n_workers=1) as cluster,
        distributed.Client(cluster) as client,
    ):
        engine = Engine(cache=None, executor=DaskExecutor(client))
        model = engine.model(f"ends:{folder}", how="always")
        model.standing.in_run = True
        with pytest.raises(WorkerError, match=r"one batch of queries ended several workers.*memory"):
            words(model, 2)
        with pytest.raises(WorkerError):  # and the model is asked no more
            words(model, 4)
        assert len(log_of(folder)) == 1


@pytest.mark.slow
def test_when_all_workers_are_gone_what_was_answered_is_kept(
    ends: None, folder: Path, tmp_path: Path
) -> None:
    with cluster_of(n_workers=1) as cluster, distributed.Client(cluster) as client:
        engine = Engine(cache=tmp_path / "cache", executor=DaskExecutor(client, patience=0.5))
        model = engine.model(f"ends:{folder}")
        first = words(model, 4)
        cluster.scale(0)
        while client.scheduler_info()["workers"]:
            time.sleep(0.05)
        with pytest.raises(WorkerError, match=r"no worker is at tcp.*the same command resumes") as info:
            words(model, 8)
        assert info.value.may_pass
        model.close()
        cluster.scale(1)
        client.wait_for_workers(1)
        with engine.model(f"ends:{folder}") as again:
            assert words(again, 8)[:4].tobytes() == first.tobytes()
            assert again.counts.cached == 4
        engine.close()


@pytest.mark.slow
def test_a_worker_without_the_plugin_or_with_another_model_is_named(
    processes: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Engine(cache=None, executor=DaskExecutor(processes))
    with pytest.raises(
        ModelLoadError, match=r"not the same on the workers tcp\S+ and tcp\S+ \(digest: test:ends of"
    ):
        engine.model(f"ends:{folder}", how="other")
    with (
        cluster_of(n_workers=1, env={"BIASCORE_DISABLE_PLUGINS": "biascore-test-ends"}) as cluster,
        distributed.Client(cluster) as client,
        pytest.raises(
            PluginError,
            match=r"^the worker tcp\S+: biascore-test-ends is not installed here.*Install there",
        ),
    ):
        Engine(cache=None, executor=DaskExecutor(client)).model(f"ends:{folder}")
    assert not (folder / "log").exists()


@pytest.mark.slow
def test_secrets_are_those_of_the_worker(
    processes: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENDS_TOKEN", "canary-of-the-run")  # after the workers were started
    with pytest.raises(PluginFailedError, match="KeyError: 'ENDS_TOKEN'"):
        Engine(cache=None, executor=DaskExecutor(processes)).model(f"ends:{folder}", how="secret")


COMMAND = [sys.executable, "-c", "from biascore.cli import main; main()", "measure", "weat"]


@pytest.mark.slow
def test_the_command_line_runs_on_processes_and_on_a_scheduler(
    processes: Any, folder: Path, tmp_path: Path
) -> None:
    ways = {
        "here": [],
        "processes": ["--workers", "1"],
        "scheduler": ["--scheduler", processes.scheduler.address],
    }
    printed = {}
    for name, options in ways.items():
        done = subprocess.run(
            [*COMMAND, f"ends:{folder}", "en/weat6", "--no-cache", "--format", "csv", *options],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert "distributed" not in done.stderr
        printed[name] = done.stdout
    assert printed["here"] == printed["processes"] == printed["scheduler"]
    assert len({pid for pid, _ in log_of(folder)}) == 4  # itself, its worker, and the two of the scheduler


class Gone:
    """A client whose scheduler has gone: what it raises then, by what it is asked."""

    scheduler = type("Scheduler", (), {"address": "tcp://gone:1"})

    def __init__(self, error: Exception) -> None:
        self._error = error

    def scheduler_info(self, **_: Any) -> Any:
        raise self._error

    submit = run = scheduler_info


@pytest.mark.parametrize(
    "error", [KeyError("workers"), distributed.client.ClosedClientError("closed"), OSError("no")]
)
def test_a_scheduler_that_is_gone_is_said(error: Exception) -> None:
    executor = DaskExecutor(Gone(error))  # type: ignore[arg-type]
    for ask in (
        lambda: executor.slots,
        lambda: executor.everywhere(os.getpid),
        lambda: executor.submit(os.getpid),
    ):
        with pytest.raises(WorkerError, match=r"the scheduler cannot be reached any more .*Start it again"):
            ask()


class Ends:
    """A client of four workers that end at each call, and others that come in their place."""

    scheduler = type("Scheduler", (), {"address": "tcp://there:1"})

    def __init__(self, lacking: bool = False) -> None:
        self._round, self._lacking = 0, lacking

    def scheduler_info(self, **_: Any) -> Any:
        self._round += 1
        return {"workers": {f"tcp://w{self._round}:{n}": {} for n in range(4)}}

    def run(self, _call: Any, _name: str, *, workers: list[str], **_: Any) -> dict[str, object]:
        lacks = importlib.metadata.PackageNotFoundError("biascore")
        return dict.fromkeys(workers, lacks if self._lacking else "0.1.0")

    def submit(self, *_: Any, **__: Any) -> Any:
        class Never:
            def result(self, timeout: float) -> None:
                raise TimeoutError

            def done(self) -> bool:
                return True

        return Never()


def test_workers_that_end_one_after_the_other_are_said() -> None:
    with pytest.raises(WorkerError, match=r"\d+ workers ended, .* too little memory is the usual reason"):
        DaskExecutor(Ends()).everywhere(os.getpid)  # type: ignore[arg-type]


def test_a_worker_without_biascore_is_named_before_it_ends() -> None:
    with pytest.raises(WorkerError, match=r"the worker tcp://w1:0 has no biascore. Install there"):
        DaskExecutor(Ends(lacking=True)).everywhere(os.getpid)  # type: ignore[arg-type]


@pytest.mark.slow
def test_nobody_else_reaches_the_processes_of_a_run(ends: None) -> None:
    """Without the certificates of this cluster, whoever may log in here could have them run anything."""
    executor = DaskExecutor.connect(Cluster(workers=1))
    try:
        address = executor._client.scheduler.address
        assert address.startswith("tls://127.0.0.1:")
        stranger = distributed.Security.temporary()
        for other in ({"address": address.replace("tls", "tcp")}, {"address": address, "security": stranger}):
            with pytest.raises(OSError):  # noqa: PT011 - which one depends on who hangs up first
                distributed.Client(**other, timeout=2)
        assert executor.submit(os.getpid) != os.getpid()
    finally:
        executor.close()


@pytest.mark.slow
@pytest.mark.parametrize("at", ["waits", "opens slowly"])
def test_ctrl_c_ends_the_command_and_its_workers(ends: None, folder: Path, tmp_path: Path, at: str) -> None:
    started = subprocess.Popen(
        [*COMMAND, f"ends:{folder}", "en/weat6", "--workers", "1", "-o", f"model.how={at}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        start_new_session=True,
    )
    until = time.monotonic() + 120
    while not (folder / "log").exists():
        assert started.poll() is None, started.communicate()
        assert time.monotonic() < until
        time.sleep(0.1)
    os.killpg(started.pid, signal.SIGINT)  # as a terminal does: to the workers as well
    _, said = started.communicate(timeout=80)  # and nobody waits for the workers
    assert started.returncode == 130
    assert "interrupted at: " in said
    assert "the same command resumes from here" in said
    assert "Traceback" not in said
    ((worker, _),) = set(log_of(folder))
    while Path(f"/proc/{worker}").exists():
        assert time.monotonic() < until
        time.sleep(0.1)


def test_tls_is_as_dask_has_it(ends: None, folder: Path, tmp_path: Path) -> None:
    key, cert = tmp_path / "key.pem", tmp_path / "cert.pem"
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-subj",
        "/CN=localhost",
        "-days",
        "2",
    ]
    try:
        subprocess.run([*command, "-keyout", key, "-out", cert], check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("openssl is not installed")
    names = ("client", "scheduler", "worker")
    tls = {
        f"distributed.comm.tls.{name}.{what}": str(file)
        for name in names
        for what, file in (("cert", cert), ("key", key))
    }
    settings = {**tls, "distributed.comm.tls.ca-file": str(cert), "distributed.comm.require-encryption": True}
    with (
        dask.config.set(settings),
        cluster_of(n_workers=1, processes=False, protocol="tls", security=distributed.Security()) as cluster,
    ):
        assert cluster.scheduler_address.startswith("tls://")
        engine = Engine(cache=None, executor=cluster.scheduler_address)
        with engine.model(f"ends:{folder}") as model:
            assert words(model, 3).shape == (3, 8)
        engine.close()
