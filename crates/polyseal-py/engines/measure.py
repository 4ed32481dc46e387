"""The figures of docs/scale.md: CPU seconds of workers for each GiB and each object, on a server that runs beside them.
Run by ``scripts/engines measure``."""

from __future__ import annotations

import secrets
import tempfile
from pathlib import Path
from typing import Any

import polyseal.jobs
import s3fs
from servers import proxy, s3_options, versitygw

GIB, OBJECTS = 1, 1000


def main() -> None:
    with tempfile.TemporaryDirectory() as keys, versitygw() as (port, folder), proxy(port) as counts:
        key = Path(keys, "key")
        key.write_text(polyseal.SecretKey.generate().to_key_file())
        (folder / "bucket").mkdir()
        direct, counted = s3_options(port), s3_options(counts.port)
        fs = s3fs.S3FileSystem(**direct)
        block = secrets.token_bytes(256 << 20)
        for i in range(GIB * 4):
            fs.pipe(f"bucket/large/{i}", block)
        fs.pipe({f"bucket/small/{i}": block[i : i + 10_000] for i in range(OBJECTS)})
        print("| objects | operation | CPU s | requests | sent MB | received MB |\n|---|---|--:|--:|--:|--:|")
        for kind in ("large", "small"):
            for operation, source, target in [
                ("encrypt", f"s3://bucket/{kind}", f"s3://bucket/{kind}-sealed"),
                ("verify", f"s3://bucket/{kind}-sealed", None),
                ("decrypt", f"s3://bucket/{kind}-sealed", f"s3://bucket/{kind}-opened"),
                ("rekey", f"s3://bucket/{kind}-sealed", None),
            ]:
                options: dict[str, Any] = {"to": {"key": f"file:{key}"}, "keep": True} if operation == "rekey" else {}
                # Seconds without the proxy, which would take some of the CPU; requests and bytes with it.
                cpu = []
                for store in (direct, counted):
                    plan = polyseal.jobs.plan(
                        operation,  # type: ignore[arg-type]
                        source,
                        target,
                        key=f"file:{key}",
                        storage_options=store,
                        overwrite=True,
                        concurrency=4,
                        **options,
                    )
                    counts.reset()
                    results = [task.run() for task in plan.tasks]
                    outcomes = plan.results(results)
                    assert {each.status for each in outcomes} == {"done"}, outcomes
                    cpu.append(sum(each.cpu_seconds for each in results))
                what = f"{GIB} GiB in {GIB * 4}" if kind == "large" else f"{OBJECTS} of 10 KB"
                print(
                    f"| {what} | {operation} | {cpu[0]:.2f} | {counts.requests} "
                    f"| {counts.sent / 1e6:.1f} | {counts.received / 1e6:.1f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
