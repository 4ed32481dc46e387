"""A block that raises leaves nothing, in every way to write; and what ends in another way is written."""

from __future__ import annotations

import array
import contextlib
import ctypes
import gc
import gzip
import io
import pickle
import warnings
from collections.abc import Callable, Generator, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import fsspec
import polyseal
import pytest
from fsspec.core import url_to_fs

MODES = ["wb", "w", "wt", "xb", "x"]
COMPRESSIONS = [None, "gzip", "bz2", "xz", "zip"]


class Boom(Exception):
    """The exception that the block raises."""


class Place:
    """A file system with a good file in it, and how else that is reached."""

    def __init__(self, below: str, root: str, key: str) -> None:
        self.fs = fsspec.filesystem("polyseal", target_protocol=below, key=key)
        self.url, self.root, self.key = f"polyseal::{below}://{root}", root, key
        self.fs.makedirs(root)
        self.fs.pipe_file(f"{root}/x", b"good")

    def expect_untouched(self) -> None:
        assert self.fs.cat(f"{self.root}/x") == b"good"
        assert self.fs.ls(self.root, detail=False) == [f"{self.root}/x"]


@pytest.fixture(params=["memory", "file"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    fsspec.filesystem("memory").store.clear()
    (tmp_path / "key").write_text(polyseal.SecretKey.generate().to_key_file())
    return Place(request.param, str(tmp_path / "place"), f"file:{tmp_path / 'key'}")


@pytest.mark.parametrize("compression", COMPRESSIONS)
@pytest.mark.parametrize("mode", MODES)
def test_of_every_mode(place: Place, mode: str, compression: str | None) -> None:
    half: Any = b"half" if "b" in mode else "half"
    name = "y" if "x" in mode else "x"
    opens: list[Callable[[], Any]] = [
        partial(place.fs.open, f"{place.root}/{name}", mode, compression=compression),
        partial(fsspec.open, f"{place.url}/{name}", mode, compression=compression, key=place.key),
    ]
    for opened in opens:
        with pytest.raises(Boom) as raised, opened() as file:
            file.write(half)
            raise Boom
        place.expect_untouched()
        # The exception's traceback says so.
        assert ("b" in mode and compression is None) or "not written" in raised.value.__notes__[0]
        # And what does not raise is there.
        with opened() as file:
            file.write(half)
        with place.fs.open(f"{place.root}/{name}", "rb" if "b" in mode else "r", compression=compression) as file:
            assert file.read() == half
        if name == "y":
            place.fs.rm(f"{place.root}/y")
        else:
            place.fs.pipe_file(f"{place.root}/x", b"good")


@contextlib.contextmanager
def managed(file: Any) -> Iterator[Any]:
    try:
        yield file
    finally:
        file.close()


def in_text(place: Place) -> None:
    with io.TextIOWrapper(place.fs.open(f"{place.root}/x", "wb")) as file:
        file.write("half")
        raise Boom


def in_a_stack(place: Place) -> None:
    with contextlib.ExitStack() as stack:
        stack.enter_context(fsspec.open(f"{place.url}/x", "w", key=place.key)).write("half")
        raise Boom


def closing(place: Place) -> None:
    with contextlib.closing(fsspec.open(f"{place.url}/x", "w", key=place.key).open()) as file:
        file.write("half")
        raise Boom


def in_a_generator(place: Place) -> None:
    with managed(place.fs.open(f"{place.root}/x", "w")) as file:
        file.write("half")
        raise Boom


def in_a_finally(place: Place) -> None:
    file = fsspec.open(f"{place.url}/x", "w", key=place.key).open()
    try:
        file.write("half")
        raise Boom
    finally:
        if not file.closed:
            file.close()


def in_a_finally_further_up(place: Place) -> None:
    files = [place.fs.open(f"{place.root}/x", "wb")]

    def ended() -> None:
        for each in files:
            each.close()

    try:
        with contextlib.suppress(KeyError):
            raise Boom
    finally:
        ended()


def in_a_finally_with_an_assertion(place: Place) -> None:
    file = place.fs.open(f"{place.root}/x", "w")
    try:
        file.write("half")
        raise Boom
    finally:
        file.close()
        assert file.closed


def in_a_finally_that_may_raise_another(place: Place) -> None:
    file = place.fs.open(f"{place.root}/x", "w")
    try:
        file.write("half")
        raise Boom
    finally:
        for each in [file]:
            each.close()
            if not each.closed:
                raise OSError("another")
        while not file.closed:
            continue


def in_an_except_that_raises_again(place: Place) -> None:
    file = place.fs.open(f"{place.root}/x", "w")
    try:
        file.write("half")
        raise Boom
    except BaseException as error:
        file.close()
        if not error:
            print(error)
        raise


def opened_by_a_block_that_is_tried_again(place: Place) -> None:
    opened = []

    class Again:
        def __enter__(self) -> None: ...

        def __exit__(self, *_: object) -> bool:
            opened.append(io.TextIOWrapper(place.fs.open(f"{place.root}/x", "wb")))
            return True

    with Again():
        raise KeyError
    with opened[0] as file:
        file.write("half")
        raise Boom


def several_files(place: Place) -> None:
    with fsspec.open_files([f"{place.url}/x"], "w", key=place.key) as [file]:
        file.write("half")
        raise Boom


def buffered(place: Place) -> None:
    with io.BufferedWriter(place.fs.open(f"{place.root}/x", "wb")) as file:
        file.write(b"half")
        raise Boom


def compressed_by_hand(place: Place) -> None:
    with place.fs.open(f"{place.root}/x", "wb") as sink, gzip.open(sink, "wb") as file:
        file.write(b"half")
        raise Boom


def another_error_on_the_way(place: Place) -> None:
    with contextlib.suppress(KeyError), fsspec.open(f"{place.url}/x", "wb", key=place.key) as file:
        file.write(b"half")
        pickle.dump(lambda: 0, file)


def in_a_transaction(place: Place) -> None:
    with place.fs.transaction:
        place.fs.pipe_file(f"{place.root}/y", b"half")
        with place.fs.open(f"{place.root}/x", "wb") as file:
            file.write(b"half")
        raise Boom


def after_the_transaction(place: Place) -> None:
    with place.fs.transaction, contextlib.suppress(Boom), place.fs.open(f"{place.root}/x", "w") as file:
        file.write("half")
        raise Boom
    raise Boom


@pytest.mark.parametrize(
    "raising",
    [
        *(in_text, in_a_stack, closing, in_a_generator, in_a_finally, in_a_finally_further_up),
        *(in_a_finally_with_an_assertion, in_a_finally_that_may_raise_another, in_an_except_that_raises_again),
        *(opened_by_a_block_that_is_tried_again, several_files, buffered, compressed_by_hand),
        *(another_error_on_the_way, in_a_transaction, after_the_transaction),
    ],
)
def test_of_everything_that_wraps_it(place: Place, raising: Callable[[Place], None]) -> None:
    with pytest.raises((Boom, AttributeError, pickle.PicklingError)):
        raising(place)
    place.expect_untouched()


def test_of_files_without_a_file_system(tmp_path: Path) -> None:
    key = polyseal.SecretKey.generate()
    (tmp_path / "x").write_bytes(b"good")
    for wrap in (io.TextIOWrapper, contextlib.closing, lambda file: file):
        with pytest.raises(Boom), wrap(polyseal.open(tmp_path / "x", "wb", key=key)):
            raise Boom
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("x", b"good")]
    with io.TextIOWrapper(polyseal.open(tmp_path / "x", "wb", key=key)) as file:
        file.write("whole")
    assert polyseal.open(tmp_path / "x", key=key).read() == b"whole"


def handled(file: Any) -> None:
    try:
        raise KeyError
    except KeyError:
        file.close()


def handled_by_its_name(file: Any) -> None:
    for _ in range(2):
        try:
            raise KeyError
        except (ValueError, KeyError) as error:
            file.close()
            if not error:
                raise
            continue


def handled_in_a_block(file: Any) -> None:
    try:
        try:
            raise KeyError
        except KeyError:
            with contextlib.nullcontext():
                file.close()
            with contextlib.nullcontext():
                return
    finally:
        pass


def handled_and_ended(file: Any) -> None:
    try:
        raise KeyError
    except KeyError:
        try:
            handled(file)
        finally:
            pass


def handled_beside_comprehensions(file: Any) -> None:
    # From Python 3.12 on they are in the function itself, and end by raising again what is raised in them.
    try:
        raise KeyError
    except ValueError:
        pass
    except KeyError:
        [each.close() for each in [file]]
        assert [each for each in range(3) if each] == [1, 2]
    finally:
        print(end="")


def in_a_finally_that_returns(file: Any) -> None:
    try:
        raise KeyError
    finally:
        file.close()
        return  # noqa: B012


def handled_but_for_some(file: Any) -> None:
    try:
        raise KeyError
    except KeyError as error:
        file.close()
        if not error:
            raise
        assert error
        if not error:
            raise ValueError from error


def handled_and_another_raised(file: Any) -> None:
    with contextlib.suppress(StopIteration):
        try:
            raise KeyError
        except KeyError:
            file.close()
            raise StopIteration from None


def opened_where_it_raises_again(file: Any) -> None:
    # A file that is opened in a clause is whole before that raises.
    try:
        try:
            raise KeyError
        except KeyError:
            with file.buffer.fs.open(f"{file.buffer.path}-report", "w") as report:
                report.write("whole")
            raise
    except KeyError:
        assert file.buffer.fs.cat(f"{file.buffer.path}-report") == b"whole"
    file.close()


def ended_while_another_is_handled(file: Any) -> None:
    try:
        raise KeyError
    except KeyError:
        try:
            pass
        finally:
            file.close()


@pytest.mark.parametrize(
    "end",
    [
        *(handled, handled_by_its_name, handled_in_a_block, handled_and_ended, in_a_finally_that_returns),
        *(handled_beside_comprehensions, handled_but_for_some, handled_and_another_raised),
        opened_where_it_raises_again,
        ended_while_another_is_handled,
    ],
)
def test_a_file_that_the_program_closes_is_written(place: Place, end: Callable[[Any], None]) -> None:
    file = place.fs.open(f"{place.root}/x", "w")
    file.write("meant")
    end(file)
    assert place.fs.cat(f"{place.root}/x") == b"meant"


def test_a_file_may_be_written_while_an_exception_leaves_a_block(place: Place) -> None:
    path = f"{place.root}/x"

    class Reports:
        def __enter__(self) -> None: ...

        def __exit__(self, *_: object) -> None:
            with fsspec.open(f"{place.url}/x", "w", key=place.key) as file:
                file.write("1")
            late = place.fs.open(f"{path}-late", "w")
            late.write("2")
            handled(late)
            with contextlib.suppress(Boom), place.fs.open(f"{path}-no", "w"):
                raise Boom

    with pytest.raises(Boom), Reports():
        raise Boom
    try:
        raise Boom
    except Boom:
        with place.fs.open(f"{path}-3", "wb", compression="gzip") as file:
            file.write(b"3")
    assert place.fs.cat(path) == b"1" and place.fs.cat(f"{path}-late") == b"2" and place.fs.size(f"{path}-3") > 1
    assert not place.fs.exists(f"{path}-no")


@pytest.mark.parametrize("compression", [None, "gzip"])
@pytest.mark.parametrize("mode", ["wb", "w"])
def test_a_file_that_nobody_closes_is_not_written(place: Place, mode: str, compression: str | None) -> None:
    file = place.fs.open(f"{place.root}/x", mode, compression=compression)
    file.write(b"half" if "b" in mode else "half")
    with pytest.warns(RuntimeWarning, match="x: not written, because nobody has closed it"):
        del file
        gc.collect()
    place.expect_untouched()

    def abandoned() -> Generator[None, None, None]:
        with fsspec.open(f"{place.url}/x", mode, compression=compression, key=place.key):
            yield

    generator = abandoned()
    next(generator)
    with pytest.warns(RuntimeWarning, match="x: not written, because GeneratorExit has left its block"):
        generator.close()
    place.expect_untouched()
    with (
        pytest.warns(RuntimeWarning, match="x: not written, because SystemExit has left its block"),
        pytest.raises(SystemExit),
        fsspec.open(f"{place.url}/x", mode, compression=compression, key=place.key),
    ):
        raise SystemExit
    place.expect_untouched()


def test_whoever_is_second_to_make_a_file_fails(place: Place) -> None:
    first, second = place.fs.open(f"{place.root}/y", "xb"), place.fs.open(f"{place.root}/y", "xb")
    first.write(b"first")
    second.write(b"second")
    first.close()
    with pytest.raises(FileExistsError) as raised:
        second.close()
    assert raised.value.errno == 17 and raised.value.filename == f"{place.root}/y"
    assert place.fs.cat(f"{place.root}/y") == b"first"
    with pytest.raises(FileExistsError) as raised:
        place.fs.pipe_file(f"{place.root}/y", b"third", mode="create")
    assert raised.value.errno == 17
    with place.fs.open(f"{place.root}/x", "wb") as outer, place.fs.open(f"{place.root}/x", "wb") as inner:
        outer.write(b"outer")
        inner.write(b"inner")
    assert place.fs.cat(f"{place.root}/x") == b"outer"


class Record(ctypes.Structure):
    _fields_ = [("a", ctypes.c_int32), ("b", ctypes.c_double)]


def test_whatever_has_bytes_is_written(place: Place, tmp_path: Path) -> None:
    for data in (
        ((ctypes.c_double * 3) * 0)(),
        (Record * 2)(Record(1, 2.0), Record(3, 4.0)),
        array.array("d", [1.0, 2.0]),
        (ctypes.c_uint32.__ctype_be__ * 2)(1, 2),
        memoryview(b"abcdef").cast("B", (2, 3)),
    ):
        with (tmp_path / "plain").open("wb") as plain, place.fs.open(f"{place.root}/x", "wb") as file:
            assert file.write(data) == plain.write(data)
        held = io.BytesIO()
        key = polyseal.SecretKey.generate()
        with polyseal.open(held, "wb", key=key) as file:
            file.write(data)
        place.fs.pipe_file(f"{place.root}/y", data)
        expected = (tmp_path / "plain").read_bytes()
        assert place.fs.cat(f"{place.root}/x") == place.fs.cat(f"{place.root}/y") == expected
        assert polyseal.open(held, key=key).read() == expected
    for refused in ("text", 3, memoryview(b"abcd")[::2]):
        with pytest.raises((TypeError, BufferError)), place.fs.open(f"{place.root}/x", "wb") as file:
            file.write(refused)


def test_a_write_in_python_may_return_nothing(tmp_path: Path) -> None:
    class Tee:
        def __init__(self) -> None:
            self.held = io.BytesIO()

        def write(self, data: bytes) -> None:
            self.held.write(data)

    class Full(io.RawIOBase):
        def writable(self) -> bool:
            return True

        def write(self, data: Any, /) -> int | None:
            return None

    key = polyseal.SecretKey.generate()
    message = bytes(100_000)
    for write in (
        lambda sink: polyseal.encrypt_file(io.BytesIO(message), sink, key=key),
        lambda sink: polyseal.open(sink, "wb", key=key).__enter__().write(message) and None,
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with pytest.raises(OSError):
                write(Full())
    sealed = Tee()
    polyseal.encrypt_file(io.BytesIO(message), sealed, key=key)  # type: ignore[arg-type]
    opened = Tee()
    polyseal.decrypt_file(io.BytesIO(sealed.held.getvalue()), opened, key=key)  # type: ignore[arg-type]
    assert opened.held.getvalue() == message
    by_hand = Tee()
    with polyseal.open(by_hand, "wb", key=key) as file:  # type: ignore[call-overload]
        file.write(message)
    assert polyseal.open(by_hand.held, key=key).read() == message
    (tmp_path / "key").write_text(key.to_key_file())
    fs, path = url_to_fs("polyseal::memory://tee", key=f"file:{tmp_path / 'key'}")
    fs.pipe_file(path, message)
    got = Tee()
    fs.get_file(path, got)
    assert got.held.getvalue() == message
