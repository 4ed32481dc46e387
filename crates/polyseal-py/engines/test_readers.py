"""pandas, pyarrow, DuckDB, Dask and zarr on encrypted files of an S3 server: right, and few bytes."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polyseal
import pyarrow.dataset
import pyarrow.parquet
import pytest
from fsspec.core import url_to_fs
from servers import Proxy

COLUMNS, ROWS = 10, 235_000
#: Bytes that come over the wire, with heads and listings, to those of the one column that is wanted.
MOST = 1.3


@pytest.fixture
def table(bucket: str, options: dict[str, Any]) -> tuple[str, pd.DataFrame]:
    """A Parquet file of ten columns without compression, 18.8 MB: its URL and its contents."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({f"c{i}": rng.integers(0, 2**62, ROWS) for i in range(COLUMNS)})
    url = f"polyseal::s3://{bucket}/t.parquet"
    frame.to_parquet(url, storage_options=options, compression=None)
    return url, frame


def read(how: str, url: str, options: dict[str, Any]) -> int:
    """The sum of column 3, by one of the readers."""
    fs, path = url_to_fs(url, **options)
    if how == "pandas":
        return int(pd.read_parquet(url, columns=["c3"], storage_options=options).c3.sum())
    if how == "pyarrow":
        return int(pyarrow.parquet.read_table(path, filesystem=fs, columns=["c3"]).to_pandas().c3.sum())
    if how == "dataset":
        return int(pyarrow.dataset.dataset(path, filesystem=fs).to_table(columns=["c3"]).to_pandas().c3.sum())
    if how == "dask":
        import dask.dataframe as dd

        frame = dd.read_parquet(url, columns=["c3"], storage_options=options)
        return int(frame.c3.sum().compute(scheduler="sync"))
    import duckdb

    connection = duckdb.connect()
    connection.register_filesystem(fs)
    # Its sum has 128 bits.
    [total] = connection.execute(f"select sum(c3) from read_parquet('polyseal://{path}')").fetchone()
    return int(np.array(total & (2**64 - 1), dtype=np.uint64).astype(np.int64))


@pytest.mark.parametrize("how", ["pandas", "pyarrow", "dataset", "dask", "duckdb"])
def test_a_column_costs_little_more_than_itself(
    how: str, table: tuple[str, pd.DataFrame], options: dict[str, Any], counts: Proxy
) -> None:
    url, frame = table
    fs, path = url_to_fs(url, **options)
    metadata = pyarrow.parquet.ParquetFile(fs.open(path)).metadata
    ideal = sum(metadata.row_group(i).column(3).total_compressed_size for i in range(metadata.num_row_groups))
    # Nothing is known any more.
    type(fs).clear_instance_cache()
    type(fs.fs).clear_instance_cache()
    counts.reset()
    assert read(how, url, options) == int(frame.c3.sum())
    print(f"{how}: {counts.requests} requests, {counts.received / ideal:.3f} of the ideal bytes")
    assert ideal < counts.received <= MOST * ideal


def test_zarr(bucket: str, options: dict[str, Any]) -> None:
    import zarr

    url = f"polyseal::s3://{bucket}/z"
    array = zarr.create_array(url, shape=(1000, 1000), chunks=(100, 1000), dtype="f8", storage_options=options)
    written = np.random.default_rng(2).random((1000, 1000))
    array[:] = written
    again = zarr.open_array(url, mode="r", storage_options=options)
    assert (again[150:250, 3:9] == written[150:250, 3:9]).all()
    fs, _ = url_to_fs(url, **options)
    assert fs.cat_file(f"{bucket}/z/zarr.json").startswith(b"{")
    assert fs.fs.cat_file(f"{bucket}/z/zarr.json").startswith(b"polyseal")


def test_what_is_written_is_a_file_as_any(
    bucket: str, options: dict[str, Any], server: tuple[int, Path], key_file: Path
) -> None:
    fs, path = url_to_fs(f"polyseal::s3://{bucket}/x", **options)
    data = secrets.token_bytes(40_000_000)
    with fs.open(path, "wb") as file:
        for at in range(0, len(data), 999_983):
            file.write(data[at : at + 999_983])
    assert not any(part for part in (server[1] / bucket).glob("x.*"))
    with polyseal.open(server[1] / bucket / "x", key=f"file:{key_file}") as plain:
        assert plain.read() == data
    assert fs.info(path)["size"] == len(data)


def test_what_is_not_finished_does_not_appear(bucket: str, options: dict[str, Any], counts: Proxy) -> None:
    fs, path = url_to_fs(f"polyseal::s3://{bucket}/x", **options)
    fs.pipe(path, b"before")
    with pytest.raises(ZeroDivisionError), fs.open(path, "wb") as file:
        file.write(secrets.token_bytes(40_000_000))
        _ = 1 // 0
    assert fs.cat(path) == b"before"
    # Nor do its parts stay, which are paid for.
    assert any(line.startswith("DELETE") for line in counts.first_lines)
    answer = fs.fs.call_s3("list_multipart_uploads", Bucket=bucket)
    assert not answer.get("Uploads")


def test_an_object_that_is_replaced_while_it_is_read(bucket: str, options: dict[str, Any]) -> None:
    fs, path = url_to_fs(f"polyseal::s3://{bucket}/x", **options)
    fs.pipe(path, secrets.token_bytes(1_000_000))
    with fs.open(path) as file:
        file.read(10)
        other, _ = url_to_fs(f"polyseal::s3://{bucket}/x", skip_instance_cache=True, **options)
        other.pipe(path, secrets.token_bytes(1_000_000))
        file.seek(500_000)
        with pytest.raises(polyseal.SourceChanged, match="replaced while it was read"):
            file.read(10)


def test_a_list_that_is_out_of_date_is_no_obstacle(bucket: str, options: dict[str, Any]) -> None:
    fs, path = url_to_fs(f"polyseal::s3://{bucket}/x", **options)
    fs.pipe(path, secrets.token_bytes(1_000_000))
    # s3fs keeps it, and looks nowhere else afterwards.
    assert fs.ls(bucket)[0]["size"] == 1_000_000
    for size in (200_000, 100, 1_500_000):
        other, _ = url_to_fs(f"polyseal::s3://{bucket}/x", skip_instance_cache=True, **options)
        other.pipe(path, bytes(size))
        assert fs.cat_file(path) == bytes(size)


def test_opening_is_one_round(bucket: str, options: dict[str, Any], counts: Proxy) -> None:
    fs, path = url_to_fs(f"polyseal::s3://{bucket}/x", **options)
    fs.pipe(path, secrets.token_bytes(1_000_000))
    type(fs).clear_instance_cache()
    type(fs.fs).clear_instance_cache()
    fs, path = url_to_fs(f"polyseal::s3://{bucket}/x", **options)
    fs.info(path)
    counts.reset()
    fs.cat_ranges([path] * 3, [0, 300_000, 700_000], [10, 300_010, 700_010])
    # Its size, its head and its end, and the three ranges.
    assert counts.requests <= 6, counts.first_lines
