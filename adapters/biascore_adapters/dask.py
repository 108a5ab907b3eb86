"""``--scheduler tcp://HOST:8786`` and ``--workers N``: batches of queries on the workers of a Dask cluster."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from logging import CRITICAL
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self, TypeVar, cast
from urllib.parse import urlsplit
from uuid import uuid4

from biascore.api.executors import Cluster, Executor
from biascore.errors import MissingExtraError, OptionsError, WorkerError

if TYPE_CHECKING:
    from distributed import Client, Future

T = TypeVar("T")
PATIENCE: Final = 60.0
"""Seconds to wait for a worker where there is none."""
_RESUME: Final = "What was answered is kept: the same command resumes from here"
_ENDED: Final = 3  # as many as Dask lets end at one call
_LOOK: Final = 1.0
"""Seconds after which the workers are looked at while an answer is waited for."""


class DaskExecutor(Executor):
    """The workers of a Dask cluster, by a ``distributed.Client``.

    ``resources``: the tags that a worker must have for a call, as it was started (``dask worker --resources "GPU=1"``);
    each call takes so much of them while it runs. ``patience``: seconds to wait for a worker where there is none.
    """

    name: ClassVar[str] = "dask"
    summary: ClassVar[str] = "the workers of a Dask cluster"
    schemes: ClassVar[tuple[str, ...]] = ("tcp", "tls", "ws", "wss")

    def __init__(
        self,
        client: Client,
        resources: Mapping[str, float] | None = None,
        patience: float = PATIENCE,
        *,
        own: Sequence[Any] = (),
    ) -> None:
        self._client = client
        self._resources = dict(resources or {})
        self._patience = patience
        self._own = tuple(own)
        self._known: set[str] = set()  # workers that have biascore

    @classmethod
    def check(cls, cluster: Cluster) -> None:
        """Raise MissingExtraError, or OptionsError for an address without a host or a port."""
        for module in ("distributed", "cryptography"):  # the latter makes certificates for processes here
            if find_spec(module) is None:
                raise MissingExtraError("a Dask cluster", "distributed")
        address = urlsplit(cluster.scheduler)
        try:
            whole = not cluster.scheduler or (address.hostname and address.port)
        except ValueError:
            whole = False
        if not whole:
            raise OptionsError(
                f"{cluster.scheduler!r} is no address of a scheduler. Write, for example: tcp://HOST:8786"
            )

    @classmethod
    def connect(cls, cluster: Cluster) -> Self:
        """A client of the scheduler, or of processes started here; TLS and time-outs as Dask's own configuration says."""
        cls.check(cluster)
        from distributed import Client, LocalCluster

        if not cluster.scheduler:
            try:
                with _no_ctrl_c():
                    local = LocalCluster(
                        n_workers=cluster.workers,
                        threads_per_worker=1,
                        memory_limit=0,  # a model takes what it takes: a limit would have Dask end its worker
                        dashboard_address="127.0.0.1:0",
                        # Else whoever may log in here could send these processes what to run.
                        protocol="tls://",
                        security=True,
                        silence_logs=CRITICAL,  # an error says what ended a worker
                    )
            except RuntimeError as error:
                raise WorkerError(
                    f"{cluster.workers} processes could not be started ({error}). Free memory or take fewer; a script needs "
                    'if __name__ == "__main__": around the run'
                ) from error
            try:
                client = Client(local)
            except BaseException:
                local.close()
                raise
            return cls(client, own=(client, local))
        try:
            client = Client(cluster.scheduler)
        except (OSError, TimeoutError) as error:
            raise WorkerError(
                f"no scheduler answers at {cluster.scheduler} ({error}). Start one (dask scheduler), or check the address "
                "and the TLS settings of Dask"
            ) from error
        except (TypeError, ValueError, RuntimeError) as error:
            raise OptionsError(
                f"{cluster.scheduler} cannot be connected to: {error}. Check the address and Dask's settings"
            ) from error
        return cls(client, cluster.resources, own=(client,))

    @property
    def slots(self) -> int:
        """One for each worker that has the resources."""
        return len(self._workers())

    def everywhere(self, call: Callable[[], T]) -> Mapping[str, T]:
        none: float | None = None
        ended = 0
        while True:
            names = self._workers()
            self._check_biascore(names)
            futures = {name: self._future(call, name) for name in names}
            found = [(name, *self._answer(future, name)) for name, future in futures.items()]
            if answered := [one for one in found if len(one) == 2]:
                return dict(answered)
            ended += len(found)
            if ended > _ENDED:
                raise WorkerError(
                    f"{ended} workers ended, one after the other, before they had opened the model. Look in their logs; too "
                    f"little memory is the usual reason. {_RESUME}"
                )
            none = none or time.monotonic()
            self._check_patience(none)
            time.sleep(_LOOK)

    def submit(self, call: Callable[[], T]) -> T:
        (answer,) = cast("tuple[T]", self._answer(self._future(call)))
        return answer

    def close(self) -> None:
        """Close the connection and what ``connect`` started; a client that was given stays open."""
        for one in self._own:
            one.close()

    def _workers(self) -> list[str]:
        """The addresses of the workers that have the resources."""
        with _scheduler_there():
            there = self._client.scheduler_info(n_workers=-1)["workers"]
        return [
            name
            for name, one in there.items()
            if all(one.get("resources", {}).get(tag, 0) >= needed for tag, needed in self._resources.items())
        ]

    def _check_biascore(self, names: Sequence[str]) -> None:
        """Raise WorkerError for a worker without biascore: it would end at the first call, whose name it does not know."""
        new = [name for name in names if name not in self._known]
        if not new:
            return
        with _scheduler_there():
            found = self._client.run(version, "biascore", workers=new, on_error="return")
        for name, installed in found.items():
            if isinstance(installed, PackageNotFoundError):
                raise WorkerError(
                    f"the worker {name} has no biascore. Install there what is installed here, biascore and its plugins"
                )
        self._known.update(new)

    def _future(self, call: Callable[[], T], worker: str | None = None) -> Future[T]:
        with _scheduler_there():
            return self._client.submit(
                call,
                key=f"biascore-{uuid4().hex}",
                pure=False,
                workers=worker,
                resources=self._resources or None,
            )

    def _answer(self, future: Future[T], worker: str = "") -> tuple[()] | tuple[T]:
        """What the call returned, or nothing where the one worker that it was meant for has ended."""
        alone: float | None = None
        try:
            while True:
                try:
                    return (future.result(timeout=_LOOK),)
                except TimeoutError:
                    there = self._workers()
                    if worker and worker not in there:
                        return ()
                    alone = None if there else alone or time.monotonic()
                    if alone is not None:
                        self._check_patience(alone)
        except WorkerError:
            raise
        except Exception as error:
            raise WorkerError(_why(error, worker)) from error
        finally:
            if not future.done():
                with suppress(Exception):  # of a scheduler that is gone
                    future.cancel(reason="biascore no longer waits for it")

    def _check_patience(self, since: float) -> None:
        if time.monotonic() - since >= self._patience:
            tags = ",".join(f"{tag}={needed:g}" for tag, needed in self._resources.items())
            raise WorkerError(
                f"no worker{tags and f' with {tags}'} is at {self._client.scheduler.address}, and none came in "
                f"{self._patience:g} seconds. Start some (dask worker). {_RESUME}"
            )


@contextmanager
def _scheduler_there() -> Iterator[None]:
    """WorkerError where the client cannot ask the scheduler: what Dask raises then is of many kinds."""
    try:
        yield
    except Exception as error:
        raise WorkerError(
            f"the scheduler cannot be reached any more ({type(error).__name__}: {error}). Start it again, and its workers. "
            f"{_RESUME}"
        ) from error


@contextmanager
def _no_ctrl_c() -> Iterator[None]:
    """Processes and threads that begin in the block do not get the SIGINT of Ctrl-C: their run ends them."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _why(error: BaseException, worker: str) -> str:
    """What went wrong in Dask itself, for a call returns its own errors."""
    from distributed.client import FutureCancelledError
    from distributed.scheduler import KilledWorker

    where = f"the worker {worker}" if worker else "a worker"
    if isinstance(error, KilledWorker):
        return (
            f"one batch of queries ended several workers, one after the other ({error.last_worker.address} last). Look in "
            f"their logs; too little memory is the usual reason, so give them more, or make batches smaller. {_RESUME}"
        )
    if isinstance(error, FutureCancelledError):
        return f"the scheduler went away or dropped a batch of queries ({error}). {_RESUME}"
    return f"{where} did not return a batch of queries: {type(error).__name__}: {error}. Look in its log. {_RESUME}"
