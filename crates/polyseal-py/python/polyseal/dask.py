"""Jobs on Dask: ``polyseal.dask.run(client, plan)``.

Tasks have keys by reference, so none is in Dask's graph, on its dashboard or in its logs. A worker that
dies has its tasks run again by another, which does no harm: see ``polyseal.jobs``. Workers take the references
of ``POLYSEAL_TASK_KEYS``, which is set where they are started.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .jobs import Outcome, Plan, Progress, Result
from .jobs import run as run_task

if TYPE_CHECKING:
    from distributed import Client


def run(client: Client, plan: Plan, *, progress: Progress | bool = False, retries: int = 3) -> list[Outcome]:
    """Does all of a plan on the workers of ``client``."""
    from distributed import as_completed

    futures = client.map(run_task, plan.tasks, pure=False, retries=retries)
    tasks = dict(zip([future.key for future in futures], plan.tasks))

    def results() -> Iterator[Result]:
        for future in as_completed(futures):  # type: ignore[no-untyped-call]
            task = tasks[future.key]
            if future.status == "finished":
                result: Result = future.result()
            else:
                result = task.lost(future.exception() if future.status == "error" else RuntimeError(future.status))
            future.release()
            yield result

    return plan.results(results(), progress)


__all__ = ["run"]
