"""Jobs on Ray: ``polyseal.ray.run(plan)``, after ``ray.init``."""

from __future__ import annotations

from collections.abc import Iterator

from .jobs import Outcome, Plan, Progress, Result
from .jobs import run as run_task


def run(plan: Plan, *, progress: Progress | bool = False, retries: int = 3) -> list[Outcome]:
    """Does all of a plan on Ray's workers."""
    import ray

    remote = ray.remote(max_retries=retries)(run_task)
    waiting = [remote.remote(task) for task in plan.tasks]

    def results() -> Iterator[Result]:
        left = waiting
        while left:
            [ready], left = ray.wait(left)
            try:
                yield ray.get(ready)
            except ray.exceptions.RayError:
                # A worker that died has no result: its objects are told at the end.
                continue

    return plan.results(results(), progress)


__all__ = ["run"]
