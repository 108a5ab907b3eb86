"""``--scheduler tcp://HOST:8786`` and ``--workers N``: batches of queries on the workers of a Dask cluster."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from logging import CRITICAL
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self, TypeVar, cast
from uuid import uuid4

from biascore.api.executors import Cluster, Executor, hookimpl
from biascore.errors import MissingExtraError, OptionsError, WorkerError

if TYPE_CHECKING:
    from distributed import Client, Future

T = TypeVar("T")
PATIENCE: Final = 60.0
"""Seconds to wait for a worker where there is none."""
_RESUME: Final = "What was answered is kept: the same command resumes from here"
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

    @classmethod
    def connect(cls, cluster: Cluster) -> Self:
        """A client of the scheduler, or of processes started here; TLS and time-outs as Dask's own configuration says."""
        try:
            import cryptography  # noqa: F401  # with which Dask makes the certificates of a cluster of its own
            from distributed import Client, LocalCluster
        except ImportError as error:
            raise MissingExtraError("a Dask cluster", "distributed") from error
        if not cluster.scheduler:
            # A model takes what memory it takes: a limit would have Dask end its worker.
            local = LocalCluster(
                n_workers=cluster.workers,
                threads_per_worker=1,
                memory_limit=0,
                dashboard_address="127.0.0.1:0",
                # Else whoever may log in here could send these processes what to run.
                protocol="tls://",
                security=True,
                silence_logs=CRITICAL,  # an error says what ended a worker
            )
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
        """See ``Executor``."""
        none: float | None = None
        while True:
            futures = {name: self._future(call, name) for name in self._workers()}
            found = [(name, *self._answer(future, name)) for name, future in futures.items()]
            if found := [one for one in found if len(one) == 2]:
                return dict(found)
            none = none or time.monotonic()
            self._check_patience(none)
            time.sleep(_LOOK)

    def submit(self, call: Callable[[], T]) -> T:
        """See ``Executor``."""
        (answer,) = cast("tuple[T]", self._answer(self._future(call)))
        return answer

    def close(self) -> None:
        """Close the connection and what ``connect`` started; a client that was given stays open."""
        for one in self._own:
            one.close()

    def _workers(self) -> list[str]:
        """The addresses of the workers that have the resources."""
        try:
            there = self._client.scheduler_info(n_workers=-1)["workers"]
        except (OSError, TimeoutError, RuntimeError) as error:
            raise WorkerError(f"the scheduler cannot be reached any more ({error}). {_RESUME}") from error
        return [
            name
            for name, one in there.items()
            if all(one.get("resources", {}).get(tag, 0) >= needed for tag, needed in self._resources.items())
        ]

    def _future(self, call: Callable[[], T], worker: str | None = None) -> Future[T]:
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
        except (WorkerError, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise WorkerError(_why(error, worker)) from error
        finally:
            if not future.done():
                future.cancel(reason="biascore no longer waits for it")

    def _check_patience(self, since: float) -> None:
        if time.monotonic() - since >= self._patience:
            tags = ",".join(f"{tag}={needed:g}" for tag, needed in self._resources.items())
            raise WorkerError(
                f"no worker{tags and f' with {tags}'} is at {self._client.scheduler.address}, and none came in "
                f"{self._patience:g} seconds. Start some (dask worker). {_RESUME}"
            )


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
    if isinstance(error, ImportError):
        return f"{where} cannot run biascore: {error}. Install there what is installed here, biascore and its plugins"
    return f"{where} did not return a batch of queries: {type(error).__name__}: {error}. Look in its log. {_RESUME}"


@hookimpl
def register_executors(register: Callable[[type[Executor]], None]) -> None:
    """Provide ``dask``."""
    register(DaskExecutor)
