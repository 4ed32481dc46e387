"""Data sets with what stores have beside their files: the same rows as without encryption, or an error."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fsspec
import numpy as np
import pandas as pd
import polyseal
import pyarrow
import pyarrow.dataset
import pyarrow.fs
import pyarrow.parquet
import pytest
from fsspec.core import url_to_fs
from servers import Proxy, s3_options

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from programs import Side, program

FILES, ROWS = 3, 10


class Boom(Exception):
    """The exception that a block raises."""


@pytest.fixture
def dataset(bucket: str, options: dict[str, Any]) -> str:
    """Parquet files, and what Spark, the console of S3 and people leave beside them: its URL."""
    url = f"polyseal::s3://{bucket}/ds"
    for i in range(FILES):
        frame = pd.DataFrame({"a": range(i * ROWS, (i + 1) * ROWS), "b": "text"})
        frame.to_parquet(f"{url}/part={i}/x.parquet", storage_options=options)
    fs, _ = url_to_fs(url, **options)
    client = lambda **what: fs.fs.call_s3("put_object", Bucket=bucket, **what)  # noqa: E731
    client(Key="ds/_SUCCESS", Body=b"")
    client(Key="ds/_README", Body=b"not encrypted " * 100)
    client(Key="ds/part=0/.crc", Body=b"x")
    client(Key="ds/", Body=b"")
    fs.invalidate_cache()
    return url


def rows(how: str, url: str, options: dict[str, Any]) -> list[int]:
    fs, path = url_to_fs(url, **options)
    if how == "pandas":
        return sorted(pd.read_parquet(url, storage_options=options).a)
    if how == "pyarrow":
        return sorted(pyarrow.parquet.read_table(path, filesystem=fs).column("a").to_pylist())
    if how == "dataset":
        found = pyarrow.dataset.dataset(path, filesystem=fs, partitioning="hive").to_table()
        return sorted(found.column("a").to_pylist())
    if how == "dask":
        import dask.dataframe as dd

        return sorted(dd.read_parquet(f"{url}/part=*/*.parquet", storage_options=options).a.compute(scheduler="sync"))
    import duckdb

    connection = duckdb.connect()
    connection.register_filesystem(fs)
    found = connection.execute(f"select a from read_parquet('polyseal://{path}/*/*.parquet') order by a").fetchall()
    return [a for [a] in found]


READERS = ["pandas", "pyarrow", "dataset", "dask", "duckdb"]


@pytest.mark.parametrize("how", READERS)
def test_all_rows_are_read(how: str, dataset: str, options: dict[str, Any]) -> None:
    assert rows(how, dataset, options) == list(range(FILES * ROWS))


@pytest.mark.parametrize("how", READERS)
def test_a_key_that_is_not_there_is_no_empty_data_set(how: str, dataset: str, options: dict[str, Any]) -> None:
    for without in ("file:/nowhere", "env:NOTHING_OF_THE_KIND"):
        with pytest.raises(Exception, match="the key cannot be had"):
            rows(how, dataset, {**options, "polyseal": {"key": without}})


def test_lists_are_those_of_the_store(dataset: str, options: dict[str, Any]) -> None:
    fs, path = url_to_fs(dataset, **options)
    for each in (fs, fs.fs):
        each.invalidate_cache()
    assert fs.find(path) == fs.fs.find(path) and fs.glob(f"{path}/**") == fs.fs.glob(f"{path}/**")
    assert list(fs.find(path, detail=True)) == list(fs.fs.find(path, detail=True))
    assert [each["name"] for each in fs.ls(path)] == [each["name"] for each in fs.fs.ls(path, detail=True)]
    assert list(fs.walk(path)) == list(fs.fs.walk(path))
    sizes = {each["name"].rsplit("/", 1)[1]: each["size"] for each in fs.find(path, detail=True).values()}
    assert sizes["_SUCCESS"] is sizes["_README"] is sizes[".crc"] is None and sizes["x.parquet"] > 500
    assert 3 * 500 < fs.du(path) < fs.fs.du(path)


def test_listing_costs_one_request_for_a_file(bucket: str, options: dict[str, Any], counts: Proxy) -> None:
    fs, path = url_to_fs(f"polyseal::s3://{bucket}/many", **options)
    fs.pipe({f"{path}/{i}": b"message" for i in range(100)})
    for asked in (lambda: fs.ls(path), lambda: fs.find(path, detail=True), lambda: fs.du(path)):
        type(fs).clear_instance_cache()
        type(fs.fs).clear_instance_cache()
        fs, _ = url_to_fs(f"polyseal::s3://{bucket}/many", **options)
        counts.reset()
        asked()
        assert counts.requests <= 102, counts.first_lines[:5]
    counts.reset()
    fs.invalidate_cache()
    assert len(fs.find(path)) == 100 and counts.requests <= 3


def write_csv(url: str, options: dict[str, Any]) -> None:
    class Bad:
        def __str__(self) -> str:
            raise Boom

    pd.DataFrame({"a": [*range(10_000), Bad()]}).to_csv(url, storage_options=options, chunksize=10)


def write_csv_gz(url: str, options: dict[str, Any]) -> None:
    class Bad:
        def __str__(self) -> str:
            raise Boom

    pd.DataFrame({"a": [*range(10_000), Bad()]}).to_csv(
        url, storage_options=options, chunksize=10, compression="gzip"
    )


def write_parquet(url: str, options: dict[str, Any]) -> None:
    fs, path = url_to_fs(url, **options)
    table = pyarrow.table({"a": range(1000)})
    with pyarrow.parquet.ParquetWriter(path, table.schema, filesystem=fs) as writer:
        writer.write_table(table)
        raise Boom


def write_stream(url: str, options: dict[str, Any]) -> None:
    fs, path = url_to_fs(url, **options)
    with pyarrow.fs.PyFileSystem(pyarrow.fs.FSSpecHandler(fs)).open_output_stream(path) as stream:
        stream.write(b"half")
        raise Boom


def write_ipc(url: str, options: dict[str, Any]) -> None:
    fs, path = url_to_fs(url, **options)
    table = pyarrow.table({"a": range(1000)})
    with fs.open(path, "wb") as file, pyarrow.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
        raise Boom


def write_array(url: str, options: dict[str, Any]) -> None:
    with fsspec.open(url, "wb", **options) as file:
        np.save(file, np.zeros(1000))
        raise Boom


@pytest.mark.parametrize("store", ["s3", "file"])
@pytest.mark.parametrize("raising", [write_csv, write_csv_gz, write_parquet, write_stream, write_ipc, write_array])
def test_a_block_that_raises_leaves_what_was_there(
    raising: Callable[[str, dict[str, Any]], None], store: str, bucket: str, options: dict[str, Any], tmp_path: Path
) -> None:
    url = f"polyseal::s3://{bucket}/x" if store == "s3" else f"polyseal::file://{tmp_path}/x"
    options = options if store == "s3" else {"polyseal": options["polyseal"]}
    fs, path = url_to_fs(url, **options)
    fs.pipe_file(path, b"good")
    with pytest.raises(Boom):
        raising(url, options)
    assert fs.cat(path) == b"good" and fs.ls(fs._parent(path), detail=False) == [path]
    if store == "s3":
        assert not fs.fs.call_s3("list_multipart_uploads", Bucket=bucket).get("Uploads")


def test_zarr_tells_a_key_that_is_not_there_from_a_chunk_that_is_not(
    bucket: str, options: dict[str, Any], key_file: Path, tmp_path: Path
) -> None:
    import zarr

    key = tmp_path / "key"
    key.write_bytes(key_file.read_bytes())
    own = {**options, "polyseal": {"key": f"file:{key}"}}
    for url in (f"polyseal::s3://{bucket}/z", f"polyseal::file://{tmp_path}/z", "polyseal::memory://z"):
        if "file:" in url:
            own = {"polyseal": own["polyseal"], "file": {"auto_mkdir": True}}
        elif "memory:" in url:
            own = {"polyseal": own["polyseal"]}
        array = zarr.create_array(url, shape=(100,), chunks=(10,), dtype="i4", fill_value=7, storage_options=own)
        array[:50] = np.arange(50)
        again = zarr.open_array(url, mode="r", storage_options=own)
        assert again[:].tolist() == [*range(50), *[7] * 50]
        # Nothing is known of its chunks any more.
        type(url_to_fs(url, **own)[0]).clear_instance_cache()
        again = zarr.open_array(url, mode="r", storage_options=own)
        key.rename(tmp_path / "gone")
        type(url_to_fs(url, **own)[0]).clear_instance_cache()
        with pytest.raises(polyseal.KeyUnavailable):
            zarr.open_array(url, mode="r", storage_options=own)
        fs, path = url_to_fs(url, **own)
        with pytest.raises(polyseal.KeyUnavailable):
            again[:]
        (tmp_path / "gone").rename(key)
        # Nor is a chunk that has been emptied or altered one that was never written.
        chunk = f"{path}/c/1"
        for contents in (b"", bytes(300), fs.fs.cat_file(chunk)[:-1]):
            fs.fs.pipe_file(chunk, contents)
            fs.invalidate_cache()
            with pytest.raises(polyseal.PolysealError):
                again[10:20]
        fs.rm(chunk)
        fs.invalidate_cache()
        assert again[10:20].tolist() == [7] * 10


def test_arrays_are_written_as_to_a_plain_file(tmp_path: Path, options: dict[str, Any], key_file: Path) -> None:
    fs = fsspec.filesystem("polyseal", target_protocol="memory", **options["polyseal"])
    for array in (
        np.empty((0, 3)),
        np.array(["2026-11-26"], dtype="M8[s]"),
        np.array([1, 2], dtype=">i4"),
        np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")]),
        np.arange(6).reshape(2, 3),
        np.float64(3),
    ):
        (tmp_path / "plain").write_bytes(b"")
        with (tmp_path / "plain").open("wb") as plain, fs.open("/x", "wb") as file:
            assert file.write(array) == plain.write(array)  # type: ignore[arg-type]
        with polyseal.open(tmp_path / "sealed", "wb", key=f"file:{key_file}") as file:
            file.write(array)  # type: ignore[arg-type]
        expected = (tmp_path / "plain").read_bytes()
        assert fs.cat("/x") == expected
        assert polyseal.open(tmp_path / "sealed", key=f"file:{key_file}").read() == expected
        fs.get_mapper("/")["y"] = array
        assert fs.cat("/y") == expected
    for refused in (np.arange(6).reshape(2, 3).T, np.arange(9)[::2]):
        with (tmp_path / "plain").open("wb") as plain, pytest.raises(ValueError):
            plain.write(refused)
        with fs.open("/x", "wb") as file, pytest.raises((ValueError, BufferError)):
            file.write(refused)


@pytest.mark.parametrize("seed", range(int(os.environ.get("POLYSEAL_PROGRAMS", "6"))))
def test_a_program_has_the_same_answers(
    seed: int, bucket: str, server: tuple[int, Path], key_file: Path, tmp_path: Path
) -> None:
    store = s3_options(server[0])
    sides = []
    for name in ("plain", "encrypted"):
        fs, path = url_to_fs(f"s3://{bucket}/{name}/root", use_listings_cache=False, skip_instance_cache=True, **store)
        if name == "encrypted":
            fs = fsspec.filesystem("polyseal", fs=fs, key=f"file:{key_file}", skip_instance_cache=True)
        (tmp_path / name).mkdir()
        sides.append(Side(fs, path, tmp_path / name))
    program(seed, sides[0], sides[1])
