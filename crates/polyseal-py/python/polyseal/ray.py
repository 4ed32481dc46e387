"""Jobs on Ray: ``polyseal.ray.run(plan)``, after ``ray.init``.

Workers take the references to keys of ``POLYSEAL_TASK_KEYS``, which is set where Ray is started on their machine.
"""

from __future__ import annotations

from collections.abc import Iterator

from .jobs import Outcome, Plan, Progress, Result
from .jobs import run as run_task


def run(plan: Plan, *, progress: Progress | bool = False, retries: int = 3) -> list[Outcome]:
    """Does all of a plan on Ray's workers."""
    import ray

    remote = ray.remote(max_retries=retries)(run_task)
    tasks = {remote.remote(task): task for task in plan.tasks}

    def results() -> Iterator[Result]:
        left = list(tasks)
        while left:
            [ready], left = ray.wait(left)
            try:
                result: Result = ray.get(ready)
            except ray.exceptions.RayError as error:
                result = tasks[ready].lost(error)
            yield result

    return plan.results(results(), progress)


__all__ = ["run"]
