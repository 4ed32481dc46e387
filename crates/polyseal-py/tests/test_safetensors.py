"""``polyseal.safetensors``: each tensor is that of the plain file, and nothing else than what was signed."""

import json
import os
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy
import polyseal
import polyseal.safetensors as st
import pytest
import safetensors
import safetensors.numpy

KEY = polyseal.SecretKey.generate()
VENDOR = polyseal.SigningKey.generate()
ALLOWED = polyseal.AllowedSigners(f"vendor@example.org {VENDOR.public_key}")
TYPES = {"F32": "float32", "F64": "float64", "F16": "float16", "I64": "int64", "U8": "uint8", "BOOL": "bool", "C64": "complex64"}


def stored(tensors: Mapping[str, tuple[str, Any]], metadata: object = None) -> bytes:
    """The bytes of a file with these tensors, by name: its type and array."""
    header: dict[str, object] = {}
    data = b""
    if metadata is not None:
        header["__metadata__"] = metadata
    for name, (dtype, array) in tensors.items():
        header[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": [len(data), len(data) + array.nbytes]}
        data += array.tobytes()
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def tensors(seed: int = 1) -> dict[str, tuple[str, Any]]:
    rng = numpy.random.default_rng(seed)
    made: dict[str, tuple[str, Any]] = {
        f"t{i}": (dtype, rng.integers(0, 2, (3 + i, 50, 7)).astype(name)) for i, (dtype, name) in enumerate(TYPES.items())
    }
    return made | {"none": ("F32", numpy.empty((0, 4), "float32")), "one": ("F32", numpy.full((), 7, "float32"))}


def sealed(path: Path, contents: bytes, **more: Any) -> Path:
    plain = path.with_suffix(".plain")
    plain.write_bytes(contents)
    polyseal.encrypt_file(plain, path, key=KEY, segment_size=4096, **more)
    plain.unlink()
    return path


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return sealed(tmp_path / "m.polyseal", stored(tensors(), {"format": "np"}), sign=VENDOR)


def test_it_is_as_the_library_of_that_name(tmp_path: Path) -> None:
    plain, arrays = tmp_path / "m.safetensors", {name: array for name, (_, array) in tensors().items() if array.shape}
    safetensors.numpy.save_file(arrays, plain, {"format": "np"})
    encrypted = tmp_path / "m.polyseal"
    polyseal.encrypt_file(plain, encrypted, key=KEY, segment_size=4096)
    with safetensors.safe_open(plain, "np") as theirs, st.safe_open(encrypted, "np", key=KEY) as ours:
        assert ours.keys() == sorted(theirs.keys()) and ours.metadata() == theirs.metadata()
        assert ours.offset_keys() == theirs.offset_keys()
        for name in theirs.keys():
            mine, other = ours.get_tensor(name), theirs.get_tensor(name)
            assert mine.dtype == other.dtype and mine.shape == other.shape and mine.tobytes() == other.tobytes()
            mine, other = ours.get_slice(name), theirs.get_slice(name)
            assert mine.get_shape() == other.get_shape() and mine.get_dtype() == other.get_dtype()
            if len(arrays[name].shape) == 3:
                assert numpy.array_equal(mine[1:3, 2], other[1:3, 2])


def test_each_tensor_and_slice_is_that_of_the_plain_file(model: Path) -> None:
    with st.safe_open(model, "np", key=KEY, signers=ALLOWED, by="vendor@example.org") as file:
        assert file.keys() == sorted(tensors()) and file.metadata() == {"format": "np"}
        assert file.offset_keys() == list(tensors())[:-2] + ["none", "one"] and list(file) == file.keys()
        for name, (dtype, array) in tensors().items():
            found = file.get_tensor(name)
            assert found.dtype == array.dtype and found.shape == array.shape and numpy.array_equal(found, array)
            part = file.get_slice(name)
            assert part.get_dtype() == dtype and part.get_shape() == list(array.shape)
            for index in [..., slice(None), slice(1, 3), slice(-2, None), slice(0, 99, 2), slice(3, 1), slice(None, None, -1)]:
                if array.shape:
                    assert numpy.array_equal(part[index], array[index]), (name, index)
            if len(array.shape) == 3:
                for index in [0, -1, (1, 2), (slice(1, 2), 3), (slice(None), slice(2, 9), -1), (..., 1), ([0, 2],), (None, 1)]:
                    assert numpy.array_equal(part[index], array[index]), (name, index)
                for index in [99, -99, (0, 0, 0, 0)]:
                    with pytest.raises(IndexError):
                        part[index]
        assert numpy.array_equal(file.get_tensors()["t1"], tensors()["t1"][1])
        with pytest.raises(KeyError, match="no tensor 'other'"):
            file.get_tensor("other")
    assert numpy.array_equal(st.load_file(model, key=KEY)["t0"], tensors()["t0"][1])


def test_a_slice_reads_its_rows_alone(model: Path) -> None:
    with st.safe_open(model, "np", key=KEY) as file:
        asked: list[int] = []
        source: Any = file._source
        read = source._read_into

        def counted(offset: int, memory: memoryview) -> int:
            asked.append(len(memory))
            return int(read(offset, memory))

        source._read_into = counted
        file.get_slice("t1")[1:3]
        file.get_slice("t1")[2]
        assert asked == [2 * 50 * 7 * 8, 50 * 7 * 8]


def test_in_a_store(model: Path, tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    for name in [model.name, f"{model.name}.sig"]:
        memory.pipe(f"/models/{name}", (model.parent / name).read_bytes())
    url, keys = f"memory://models/{model.name}", tmp_path / "key"
    keys.write_text(KEY.to_key_file())
    reference = f"file:{keys}"
    with st.safe_open(url, "np", key=reference, signers=ALLOWED) as file:
        assert numpy.array_equal(file.get_tensor("t1"), tensors()["t1"][1])
    memory.rm(f"/models/{model.name}.sig")
    with pytest.raises(polyseal.NotSignedError):
        st.safe_open(url, "np", key=reference, signers=ALLOWED)
    with pytest.raises(TypeError, match="reference to the key"):
        st.safe_open(url, "np", key=KEY)
    with pytest.raises(ValueError, match="storage_options are for a URL"):
        st.safe_open(model, "np", key=KEY, storage_options={"anon": True})


def test_what_is_no_such_file_is_refused(tmp_path: Path) -> None:
    one: dict[str, Any] = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}

    def refuse(header: object, why: str, data: bytes = bytes(4)) -> None:
        text = header if isinstance(header, bytes) else json.dumps(header).encode()
        path = sealed(tmp_path / "bad.polyseal", len(text).to_bytes(8, "little") + text + data, overwrite=True)
        with pytest.raises(ValueError, match=why):
            st.safe_open(path, "np", key=KEY)

    refuse({"a": one | {"data_offsets": [0, 8]}}, "bytes of its shape", bytes(8))
    refuse({"a": one | {"data_offsets": [4, 8]}}, "overlap, or leave a hole", bytes(8))
    refuse({"a": one, "b": one}, "overlap")
    refuse({"a": one}, "does not end behind", bytes(5))
    refuse({"a": one | {"dtype": "F99"}}, "'F99'")
    refuse({"a": one | {"shape": [-1]}}, "no shape")
    refuse({"a": one | {"shape": [True]}}, "no shape")
    refuse({"a": one | {"more": 1}}, "not described")
    refuse({"__metadata__": {"a": 1}}, "metadata is not text", b"")
    refuse(b'{"a":1,"a":2}', "twice")
    refuse(b"[]", "no object")
    refuse(b"\xff", "not JSON")
    for contents in [b"", b"1234567", (1 << 62).to_bytes(8, "little")]:
        path = sealed(tmp_path / "bad.polyseal", contents, overwrite=True)
        with pytest.raises(ValueError, match="no header"):
            st.safe_open(path, "np", key=KEY)
    other: Any = "tf"
    with pytest.raises(ValueError, match="the frameworks are"):
        st.safe_open(path, other, key=KEY)
    with pytest.raises(ValueError, match="on the cpu"):
        st.safe_open(path, "np", "cuda", key=KEY)
    bf16 = sealed(tmp_path / "bf16.polyseal", stored({"a": ("BF16", numpy.zeros(2, "uint16"))}))
    with st.safe_open(bf16, "np", key=KEY) as file, pytest.raises(TypeError, match="use torch"):
        file.get_tensor("a")


def test_nothing_is_given_out_that_was_not_signed(model: Path, tmp_path: Path) -> None:
    """Each byte of file and statement, in turn: what comes out is what was signed, or an error."""
    good, statement = model.read_bytes(), model.with_name(f"{model.name}.sig").read_bytes()
    chosen, refused = random.Random(5), 0
    path = tmp_path / "altered.polyseal"
    for _ in range(150):
        of_file = chosen.random() < 0.7
        contents = bytearray(good if of_file else statement)
        contents[chosen.randrange(len(contents))] ^= 1 << chosen.randrange(8)
        path.write_bytes(contents if of_file else good)
        (tmp_path / "altered.polyseal.sig").write_bytes(statement if of_file else contents)
        try:
            with st.safe_open(path, "np", key=KEY, signers=ALLOWED) as file:
                for name, (_, array) in tensors().items():
                    assert numpy.array_equal(file.get_tensor(name), array)
        except (polyseal.PolysealError, ValueError):
            refused += 1
    assert refused > 100


class TestModel:
    """A sharded model is a signed tree. No side effect comes before the whole of it is known to be the signed one."""

    @pytest.fixture
    def tree(self, tmp_path: Path) -> Path:
        source = tmp_path / "source"
        source.mkdir()
        shards = {"model-00001-of-00002.safetensors": ["t0", "t1"], "model-00002-of-00002.safetensors": ["t2", "one"]}
        for shard, names in shards.items():
            (source / shard).write_bytes(stored({name: tensors()[name] for name in names}))
        index = {"weight_map": {name: shard for shard, names in shards.items() for name in names}}
        (source / "model.safetensors.index.json").write_text(json.dumps(index))
        (source / "config.json").write_text('{"layers": 2}')
        (source / "LICENSE").write_text("free")
        polyseal.encrypt_tree(source, tmp_path / "sealed", key=KEY, segment_size=4096, sign=VENDOR)
        return tmp_path / "sealed"

    def open(self, tree: Path, **more: Any) -> st.Model:
        return st.open_model(tree, "np", signers=ALLOWED, **({"key": KEY} | more))

    def test_all_of_it(self, tree: Path) -> None:
        with self.open(tree, by="vendor@example.org", at_least=1) as model:
            assert model.keys() == ["one", "t0", "t1", "t2"] and model.number == 1
            for name in model.keys():
                assert numpy.array_equal(model.get_tensor(name), tensors()[name][1])
            assert numpy.array_equal(model.get_slice("t1")[2:], tensors()["t1"][1][2:])
            assert json.loads(model.read("config.json")) == {"layers": 2} and "LICENSE" in model.files()
        with self.open(tree, verify=False) as model:
            assert numpy.array_equal(model.get_tensor("t2"), tensors()["t2"][1])
        assert polyseal.verify_tree(tree, signers=ALLOWED).files == 5

    @pytest.mark.parametrize(
        "name", ["model-00002-of-00002.safetensors", "config.json", "LICENSE", "model.safetensors.index.json"]
    )
    def test_an_altered_or_missing_file(self, tree: Path, name: str) -> None:
        path = tree / f"{name}.polyseal"
        contents = path.read_bytes()
        path.write_bytes(contents[:-3] + bytes([contents[-3] ^ 1]) + contents[-2:])
        with pytest.raises(polyseal.TreeError) as refused:
            self.open(tree)
        assert [str(failure.path) for failure in refused.value.failures] == [f"{name}.polyseal"]
        path.unlink()
        with pytest.raises(polyseal.TreeError):
            self.open(tree)

    def test_a_shard_that_is_altered_and_read_in_parts(self, tree: Path) -> None:
        path = tree / "model-00001-of-00002.safetensors.polyseal"
        contents = bytearray(path.read_bytes())
        contents[-3] ^= 1
        path.write_bytes(contents)
        # The last segment says how long the file is, so it is opened first.
        with pytest.raises(polyseal.PolysealError):
            self.open(tree, verify=False)

    def test_an_old_tree_another_key_and_another_signer(self, tree: Path) -> None:
        with pytest.raises(polyseal.TreeMismatch, match="older"):
            self.open(tree, at_least=2)
        with pytest.raises(polyseal.NoMatchingKey):
            self.open(tree, key=polyseal.SecretKey.generate())
        mallory = polyseal.SigningKey.generate()
        polyseal.sign_tree(tree, mallory, key=KEY)
        with pytest.raises(polyseal.NotSignedError):
            self.open(tree)
        polyseal.sign_tree(tree, VENDOR, key=KEY)
        self.open(tree).close()

    def test_shards_are_of_one_version(self, tree: Path, tmp_path: Path) -> None:
        with self.open(tree) as model:
            update: dict[str, Any] = {"update": True, "key": KEY, "segment_size": 4096, "sign": VENDOR}
            (tmp_path / "source/config.json").write_text('{"layers": 3}')
            polyseal.encrypt_tree(tmp_path / "source", tree, **update)
            with pytest.raises(polyseal.errors.SourceChanged, match="was updated while it was read"):
                model.read("config.json")
            assert numpy.array_equal(model.get_tensor("t0"), tensors()["t0"][1])
        with self.open(tree, at_least=2) as model:
            assert json.loads(model.read("config.json")) == {"layers": 3}

    def test_an_index_that_says_otherwise(self, tmp_path: Path) -> None:
        source = tmp_path / "source"
        source.mkdir()
        (source / "a.safetensors").write_bytes(stored({"t0": tensors()["t0"]}))
        (source / "model.safetensors.index.json").write_text('{"weight_map": {"t0": "b.safetensors"}}')
        polyseal.encrypt_tree(source, tmp_path / "sealed", key=KEY, sign=VENDOR)
        with pytest.raises(ValueError, match="names shards that do not have"):
            self.open(tmp_path / "sealed")
        os.replace(source / "model.safetensors.index.json", source / "other")
        (source / "b.safetensors").write_bytes(stored({"t0": tensors()["t0"]}))
        polyseal.encrypt_tree(source, tmp_path / "sealed", update=True, key=KEY, sign=VENDOR)
        with pytest.raises(ValueError, match="is in a.safetensors and in b.safetensors"):
            self.open(tmp_path / "sealed")
