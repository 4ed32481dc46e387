"""The measurements of `polyseal-bench papers --report`: a record a line, read into something to ask.

Times are in nanoseconds a message, round by round; a ratio is the median over the rounds, in each of which both sides met
the same disturbance.
"""

import json
from dataclasses import dataclass, field
from statistics import median


@dataclass
class Contest:
    """Everybody's times for messages of one length."""
    message: int
    ad: int
    rounds: dict[str, list[float]]
    cycles: dict[str, float]

    def ns(self, name):
        times = self.rounds.get(name)
        return median(times) if times else None

    def mib_per_second(self, name):
        ns = self.ns(name)
        return self.message / ns * 1e9 / 2**20 if ns else None

    def cycles_per_byte(self, name):
        cycles = self.cycles.get(name)
        return cycles / self.message if cycles and self.message else None

    def ratio(self, slow, fast):
        """The time of `slow` divided by that of `fast`: above 1, `fast` is faster."""
        a, b = self.rounds.get(slow), self.rounds.get(fast)
        return median(x / y for x, y in zip(a, b)) if a and b else None

    def named(self, start):
        """The contenders named `start` and then the library."""
        return [name for name in self.rounds if name.startswith(start + " ")]

    def fastest(self, names):
        there = [name for name in names if name in self.rounds]
        return min(there, key=self.ns, default=None)


@dataclass
class Measured:
    runs: list[dict] = field(default_factory=list)
    aes_round: dict[str, float] = field(default_factory=dict)
    contests: dict[tuple, dict[int, Contest]] = field(default_factory=dict)

    @property
    def backends(self):
        """From the best to the least."""
        return [run["backend"] for run in self.runs]

    def with_aes(self):
        return [backend for backend in self.backends if backend != "soft"]

    def contest(self, paper, table, backend, operation):
        """By length of message; empty if it was not measured."""
        return self.contests.get((paper, table, backend, operation), {})


def read(path):
    measured = Measured()
    for line in path.read_text().splitlines():
        record = json.loads(line)
        match record["kind"]:
            case "run":
                measured.runs.append(record)
            case "aes-round":
                measured.aes_round[record["backend"]] = record["cycles"]
            case "contest":
                key = tuple(record[name] for name in ("paper", "table", "backend", "operation"))
                rounds = {c["name"]: c["nanoseconds"] for c in record["contenders"]}
                cycles = {c["name"]: c["cycles"] for c in record["contenders"]}
                contest = Contest(record["message"], record["ad"], rounds, cycles)
                measured.contests.setdefault(key, {})[record["message"]] = contest
    return measured
