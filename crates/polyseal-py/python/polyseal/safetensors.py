"""Tensors of encrypted ``safetensors`` files, read where they are: ``safe_open`` of that library, with a key.

A tensor costs its own bytes and at most two segments more, in a file, in a store or on a web server. It is decrypted
on all cores, straight into the array. With ``signers``, nothing is read that an accepted signer has not signed.

>>> import json, numpy, polyseal, polyseal.safetensors, tempfile
>>> folder, key = tempfile.TemporaryDirectory(), polyseal.SecretKey.generate()
>>> header = json.dumps({"w": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]}}).encode()
>>> tensor = numpy.arange(4, dtype=numpy.float32).reshape(2, 2)
>>> with polyseal.open(f"{folder.name}/m.polyseal", "wb", key=key) as file:
...     file.write(len(header).to_bytes(8, "little") + header + tensor.tobytes())
89
>>> with polyseal.safetensors.safe_open(f"{folder.name}/m.polyseal", "np", key=key) as model:
...     model.get_tensor("w")
array([[0., 1.],
       [2., 3.]], dtype=float32)
>>> folder.cleanup()

Limits: numpy (its types alone, and ``bfloat16`` where ``ml_dtypes`` is installed) and torch. Whoever runs a model has it:
encryption keeps it from everybody else.
"""

from __future__ import annotations

import importlib
import json
import math
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from .files import open as open_file
from .files import wanted_signers
from .trees import _open_in_tree, list_tree, verify_tree

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self, Unpack

    from ._key_set import KeySetArgs
    from ._polyseal import AllowedSigners, WritableBuffer
    from .files import EncryptedReader

    PathLike = str | os.PathLike[str]

#: The longest header in bytes, as safetensors has it.
_MAX_HEADER_BYTES: Final = 100_000_000
_METADATA: Final = "__metadata__"
#: The file that names the shard of each tensor.
_INDEX: Final = "model.safetensors.index.json"
#: The types of tensors: the bytes of an element, and their names in numpy and torch; none where they have no such type.
_TYPES: Final[Mapping[str, tuple[int, str | None, str]]] = {
    "BOOL": (1, "bool", "bool"),
    "U8": (1, "uint8", "uint8"),
    "I8": (1, "int8", "int8"),
    "F8_E5M2": (1, None, "float8_e5m2"),
    "F8_E4M3": (1, None, "float8_e4m3fn"),
    "F8_E8M0": (1, None, "float8_e8m0fnu"),
    "U16": (2, "uint16", "uint16"),
    "I16": (2, "int16", "int16"),
    "F16": (2, "float16", "float16"),
    "BF16": (2, "bfloat16", "bfloat16"),
    "U32": (4, "uint32", "uint32"),
    "I32": (4, "int32", "int32"),
    "F32": (4, "float32", "float32"),
    "U64": (8, "uint64", "uint64"),
    "I64": (8, "int64", "int64"),
    "F64": (8, "float64", "float64"),
    "C64": (8, "complex64", "complex64"),
}


class _Source(Protocol):
    """An encrypted file that is read at offsets."""

    @property
    def size(self) -> int: ...
    def read_at(self, offset: int, size: int, /) -> bytes: ...
    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class _Tensor:
    dtype: str
    shape: tuple[int, ...]
    start: int
    stop: int


class _Framework(Protocol):
    """Where tensors go."""

    def empty(self, dtype: str, shape: tuple[int, ...]) -> tuple[Any, memoryview]:
        """A new tensor, and its memory."""

    def placed(self, tensor: Any) -> Any:
        """The tensor where it was asked for."""


class _Numpy:
    def __init__(self, device: str | int) -> None:
        if device not in ("cpu", None):
            raise ValueError(f"numpy has its arrays on the cpu, not on {device!r}")
        self._numpy = importlib.import_module("numpy")

    def empty(self, dtype: str, shape: tuple[int, ...]) -> tuple[Any, memoryview]:
        name = _TYPES[dtype][1]
        if name == "bfloat16":
            # It makes the type known to numpy.
            try:
                importlib.import_module("ml_dtypes")
            except ImportError:
                name = None
        if name is None:
            raise TypeError(f"numpy has no type for {dtype}: use torch, or install ml_dtypes for BF16")
        raw = self._numpy.empty(math.prod(shape) * _TYPES[dtype][0], "uint8")
        return raw.view(name).reshape(shape), memoryview(raw)

    def placed(self, tensor: Any) -> Any:
        return tensor


class _Torch:
    def __init__(self, device: str | int) -> None:
        self._torch, self._device = importlib.import_module("torch"), device

    def empty(self, dtype: str, shape: tuple[int, ...]) -> tuple[Any, memoryview]:
        kind = getattr(self._torch, _TYPES[dtype][2], None)
        if kind is None:
            raise TypeError(f"this torch has no type for {dtype}")
        raw = self._torch.empty(math.prod(shape) * _TYPES[dtype][0], dtype=self._torch.uint8)
        return raw.view(kind).reshape(shape), memoryview(raw.numpy())

    def placed(self, tensor: Any) -> Any:
        return tensor if self._device == "cpu" else tensor.to(self._device)


_FRAMEWORKS: Final[Mapping[str, Callable[[str | int], _Framework]]] = {
    "np": _Numpy,
    "numpy": _Numpy,
    "pt": _Torch,
    "torch": _Torch,
    "pytorch": _Torch,
}


def _framework(name: str, device: str | int) -> _Framework:
    made = _FRAMEWORKS.get(name)
    if made is None:
        raise ValueError(f"the frameworks are {', '.join(map(repr, _FRAMEWORKS))}, not {name!r}")
    return made(device)


def _source(
    filename: PathLike,
    threads: int,
    signers: AllowedSigners | None,
    by: str | None,
    storage_options: Mapping[str, Any] | None,
    key_args: KeySetArgs,
) -> _Source:
    name = os.fspath(filename)
    if "://" in name:
        core = importlib.import_module("fsspec.core")
        # One of its own: fsspec tells file systems apart by the text of their arguments, and lists of signers are longer.
        options = {**key_args, "skip_instance_cache": True}
        fs, path = core.url_to_fs(f"polyseal::{name}", polyseal=options, **(storage_options or {}))
        fs._wanted = wanted_signers(signers, by)
        opened: _Source = fs.open(path, "rb")
        return opened
    if storage_options:
        raise ValueError("storage_options are for a URL: this is a file")
    return open_file(name, threads=threads, signers=signers, by=by, **key_args)


def _fill(source: _Source, offset: int, memory: memoryview) -> None:
    into: Callable[[int, WritableBuffer], int] | None = getattr(source, "_read_into", None)
    if into is not None:
        read = into(offset, memory)
    else:
        data = source.read_at(offset, len(memory))
        memory[: len(data)] = data
        read = len(data)
    if read != len(memory):
        raise EOFError(f"the file ends after {offset + read} bytes, within a tensor")


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name is there twice")
    return found


def _is_size(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _tensor(name: str, said: object, data: int) -> _Tensor:
    def bad(why: str) -> ValueError:
        return ValueError(f"not a safetensors file: the tensor {name!r} {why}")

    if not isinstance(said, dict) or set(said) != {"dtype", "shape", "data_offsets"}:
        raise bad("is not described by dtype, shape and data_offsets")
    dtype, shape, offsets = said["dtype"], said["shape"], said["data_offsets"]
    if dtype not in _TYPES:
        raise bad(f"is of a type that is not known here, {dtype!r}")
    if not isinstance(shape, list) or not all(map(_is_size, shape)):
        raise bad("has no shape")
    if not isinstance(offsets, list) or len(offsets) != 2 or not all(map(_is_size, offsets)):
        raise bad("has no offsets")
    if offsets[1] - offsets[0] != math.prod(shape) * _TYPES[dtype][0]:
        raise bad("has not the bytes of its shape")
    return _Tensor(dtype, tuple(shape), data + offsets[0], data + offsets[1])


def _header(source: _Source) -> tuple[dict[str, _Tensor], dict[str, str] | None]:
    length = int.from_bytes(source.read_at(0, 8), "little")
    if source.size < 8 or length > min(_MAX_HEADER_BYTES, source.size - 8):
        raise ValueError("not a safetensors file: it has no header")
    try:
        said = json.loads(source.read_at(8, length).decode(), object_pairs_hook=_without_twins)
    except ValueError as error:
        raise ValueError(f"not a safetensors file: its header is not JSON: {error}") from None
    if not isinstance(said, dict):
        raise ValueError("not a safetensors file: its header is no object")
    metadata = said.pop(_METADATA, None)
    if metadata is not None and not (
        isinstance(metadata, dict) and all(isinstance(each, str) for each in metadata.values())
    ):
        raise ValueError("not a safetensors file: its metadata is not text")
    tensors = {name: _tensor(name, each, 8 + length) for name, each in said.items()}
    # Each byte belongs to one tensor.
    end = 8 + length
    for each in sorted(tensors.values(), key=lambda each: (each.start, each.stop)):
        if each.start != end:
            raise ValueError("not a safetensors file: tensors overlap, or leave a hole")
        end = each.stop
    if end != source.size:
        raise ValueError("not a safetensors file: it does not end behind the last tensor")
    return tensors, metadata


class TensorSlice:
    """A tensor of which parts are read: index it. Of the first axis, only the rows that are wanted are read."""

    def __init__(self, source: _Source, tensor: _Tensor, framework: _Framework) -> None:
        self._source, self._tensor, self._framework = source, tensor, framework

    def get_shape(self) -> list[int]:
        """The length of each axis."""
        return list(self._tensor.shape)

    def get_dtype(self) -> str:
        """The type, as the format spells it."""
        return self._tensor.dtype

    def __getitem__(self, index: Any) -> Any:
        """The part, as numpy and torch have it."""
        indices = index if isinstance(index, tuple) else (index,)
        shape = self._tensor.shape
        first = indices[0] if indices and shape else ...
        rows: range | None = None
        if isinstance(first, int) and not isinstance(first, bool):
            if not -shape[0] <= first < shape[0]:
                raise IndexError(f"index {first} is not among the {shape[0]} of the first axis")
            first %= shape[0]
            rows, first = range(first, first + 1), 0
        elif isinstance(first, slice) and (first.step or 1) > 0:
            wanted = range(shape[0])[first]
            rows = range(wanted.start, max(wanted.start, wanted[-1] + 1 if wanted else wanted.start))
            first = slice(None, None, first.step)
        if rows is None:
            return self._framework.placed(self._rows(range(shape[0]) if shape else None)[index])
        return self._framework.placed(self._rows(rows)[(first, *indices[1:])])

    def _rows(self, rows: range | None) -> Any:
        tensor = self._tensor
        if rows is None:
            shape, start = tensor.shape, tensor.start
        else:
            row = math.prod(tensor.shape[1:]) * _TYPES[tensor.dtype][0]
            shape, start = (len(rows), *tensor.shape[1:]), tensor.start + rows.start * row
        made, memory = self._framework.empty(tensor.dtype, shape)
        _fill(self._source, start, memory)
        return made


class _Closed(ABC):
    """Closed at the end of a ``with`` block."""

    @abstractmethod
    def close(self) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class safe_open(_Closed):  # noqa: N801 - the name that safetensors has
    """Opens an encrypted ``safetensors`` file, as ``safetensors.safe_open`` opens a plain one.

    ``filename`` is a path, or a URL such as ``s3://models/m.safetensors.polyseal``, with ``storage_options`` for fsspec:
    then keys are given by reference, as ``polyseal.fs`` takes them.
    ``framework`` is ``"np"`` or ``"pt"``. ``key`` and the keywords after it say who opens it: see ``KeySetArgs``; and
    ``signers`` and ``by`` are those of ``polyseal.open``. ``threads`` are all cores by default.

    Raises what ``polyseal.open`` does, and ``ValueError`` for what is no ``safetensors`` file.
    """

    def __init__(
        self,
        filename: PathLike,
        framework: Literal["np", "numpy", "pt", "torch", "pytorch"],
        device: str | int = "cpu",
        *,
        signers: AllowedSigners | None = None,
        by: str | None = None,
        threads: int | None = None,
        storage_options: Mapping[str, Any] | None = None,
        **key_args: Unpack[KeySetArgs],
    ) -> None:
        self._framework = _framework(framework, device)
        threads = threads or os.cpu_count() or 1
        with ExitStack() as undo:
            self._source = _source(filename, threads, signers, by, storage_options, key_args)
            undo.callback(self._source.close)
            self._tensors, self._metadata = _header(self._source)
            undo.pop_all()

    def keys(self) -> list[str]:
        """The names of the tensors, in order."""
        return sorted(self._tensors)

    def offset_keys(self) -> list[str]:
        """The same, in the order in which they are stored."""
        return sorted(self._tensors, key=lambda name: (self._tensors[name].start, name))

    def metadata(self) -> dict[str, str] | None:
        """The text beside the tensors, if there is any."""
        return self._metadata

    def get_slice(self, name: str) -> TensorSlice:
        """A tensor of which parts are read."""
        if name not in self._tensors:
            raise KeyError(f"the file has no tensor {name!r}")
        return TensorSlice(self._source, self._tensors[name], self._framework)

    def get_tensor(self, name: str) -> Any:
        """All of a tensor."""
        return self.get_slice(name)[...]

    def get_tensors(self) -> dict[str, Any]:
        """All tensors, read in the order in which they are stored."""
        return {name: self.get_tensor(name) for name in self.offset_keys()}

    def close(self) -> None:
        """Closes the file, and forgets the keys."""
        self._source.close()

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())


class Model(_Closed):
    """A sharded model in a sealed tree whose statement was accepted: see ``open_model``."""

    def __init__(
        self, framework: _Framework, opened: Callable[[str], EncryptedReader], number: int, files: Iterable[str]
    ) -> None:
        self._framework, self._opened = framework, opened
        #: The number of the tree: one more with each release.
        self.number = number
        self._files = frozenset(files)
        self._shards: dict[str, tuple[EncryptedReader, dict[str, _Tensor]]] = {}
        with ExitStack() as undo:
            undo.callback(self.close)
            self._where = self._weights()
            undo.pop_all()

    def _weights(self) -> dict[str, str]:
        """The shard of each tensor, by the shards themselves. An index that says otherwise is refused."""
        where: dict[str, str] = {}
        for file in sorted(name for name in self._files if name.endswith(".safetensors")):
            source = self._opened(file)
            self._shards[file] = source, {}
            self._shards[file] = source, _header(source)[0]
            for name in self._shards[file][1]:
                if where.setdefault(name, file) != file:
                    raise ValueError(f"the tensor {name!r} is in {where[name]} and in {file}")
        if _INDEX in self._files:
            said = json.loads(self.read(_INDEX))
            index = said.get("weight_map") if isinstance(said, dict) else None
            if not isinstance(index, dict) or index != {name: where.get(name) for name in index}:
                raise ValueError(f"{_INDEX} names shards that do not have its tensors")
        return where

    def files(self) -> list[str]:
        """The paths of all files of the tree."""
        return sorted(self._files)

    def read(self, path: str) -> bytes:
        """All of a file, such as ``config.json``."""
        with self._opened(path) as file:
            return file.read()

    def keys(self) -> list[str]:
        """The names of the tensors of all shards, in order."""
        return sorted(self._where)

    def get_slice(self, name: str) -> TensorSlice:
        """A tensor of which parts are read."""
        if name not in self._where:
            raise KeyError(f"the model has no tensor {name!r}")
        source, tensors = self._shards[self._where[name]]
        return TensorSlice(source, tensors[name], self._framework)

    def get_tensor(self, name: str) -> Any:
        """All of a tensor."""
        return self.get_slice(name)[...]

    def close(self) -> None:
        """Closes the shards, and forgets the keys."""
        for source, _ in self._shards.values():
            source.close()


def open_model(
    tree: PathLike,
    framework: Literal["np", "numpy", "pt", "torch", "pytorch"],
    device: str | int = "cpu",
    *,
    signers: AllowedSigners,
    by: str | None = None,
    at_least: int | None = None,
    verify: bool = True,
    threads: int | None = None,
    **key_args: Unpack[KeySetArgs],
) -> Model:
    """Opens a model that is a signed tree: shards in ``safetensors``, and what belongs to them.

    It returns only if the tree has a statement of ``signers``, its number is ``at_least`` that, its manifest opens, and
    every file of it is there, as it was signed, and no other. ``verify=False`` leaves out the last, which reads all files
    once: then each part is compared when it is read.

    Raises ``NotSignedError``, ``TreeError`` or ``TreeMismatch`` for such a tree, ``SourceChanged`` if it is another when
    a file is opened, what ``open_in_tree`` does for the keys, and ``ValueError`` for shards that are none.
    """
    made, threads = _framework(framework, device), threads or os.cpu_count() or 1
    listing = list_tree(tree, at_least=at_least, signers=signers, by=by, **key_args)
    number = listing.number
    files = [str(each.path) for each in listing if each.kind == "file" and each.state in ("new", "unchanged")]
    if verify:
        verify_tree(tree, at_least=number, signers=signers, by=by)

    def opened(path: str) -> EncryptedReader:
        # All of one version: whoever has the storage can put another there meanwhile.
        wanted, manifest = wanted_signers(signers, by), listing._entries.manifest
        return _open_in_tree(tree, path, threads, number, wanted, manifest, key_args)

    return Model(made, opened, number, files)


def load_file(filename: PathLike, framework: str = "np", device: str | int = "cpu", **options: Any) -> dict[str, Any]:
    """All tensors of a file. The keywords are those of ``safe_open``."""
    with safe_open(filename, framework, device, **options) as file:  # type: ignore[arg-type]
        return file.get_tensors()


__all__ = ["Model", "TensorSlice", "load_file", "open_model", "safe_open"]
