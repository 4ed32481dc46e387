"""Jobs on Dask: ``polyseal.dask.run(client, plan)``.

Tasks have keys by reference, so none is in Dask's graph, on its dashboard or in its logs. A worker that
dies has its tasks run again by another, which does no harm: see ``polyseal.jobs``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .jobs import Outcome, Plan, Progress, Result
from .jobs import run as run_task

if TYPE_CHECKING:
    from distributed import Client


def run(client: Client, plan: Plan, *, progress: Progress | bool = False, retries: int = 3) -> list[Outcome]:
    """Does all of a plan on the workers of ``client``."""
    from distributed import as_completed

    futures = client.map(run_task, plan.tasks, pure=False, retries=retries)

    def results() -> Iterator[Result]:
        for future in as_completed(futures):  # type: ignore[no-untyped-call]
            outcome: Any = future.result() if future.status == "finished" else None
            future.release()
            if outcome is not None:
                yield outcome

    return plan.results(results(), progress)


__all__ = ["run"]
