from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from typing import Any, ClassVar, Final, Literal, NoReturn, Union, final

from typing_extensions import Buffer as Buffer
from typing_extensions import Self, Unpack

from ._key_set import KeySetArgs
from .keys import KeyRef

#: A buffer that may be written, such as a ``bytearray``.
WritableBuffer = Union[bytearray, memoryview, Buffer]

#: Signers, the name of the one who is wanted, and the path of the statement.
_Wanted = tuple["AllowedSigners", Union[str, None], Union[str, None]]

__version__: Final[str]
#: The name of the class of each algorithm, by its registry name.
ALGORITHMS: Final[dict[str, str]]

class Aead:
    """An AEAD under a key: the base of all classes of AEADs. `aead()` makes one by its name."""
    #: The name in the registry.
    algorithm: ClassVar[str]
    #: The sizes of a key, a nonce and a tag in bytes.
    key_bytes: ClassVar[int]
    nonce_bytes: ClassVar[int]
    tag_bytes: ClassVar[int]
    def __new__(cls, key: Buffer | SecretKey | KeyRef) -> Self: ...
    @classmethod
    def generate_key(cls) -> SecretKey:
        """A fresh random key of `key_bytes` bytes."""
    def encrypt(self, nonce: Buffer, data: Buffer, associated_data: Buffer | None = None) -> bytes:
        """Encrypts `data` and authenticates it together with `associated_data`. The result is the
        ciphertext and the tag: `tag_bytes` more than `data`. The nonce, of `nonce_bytes` bytes,
        must be another one for every message under a key. Raises `ValueError` for a nonce of
        another length, and `LimitExceeded` for too long a message.
        """
    def decrypt(self, nonce: Buffer, data: Buffer, associated_data: Buffer | None = None) -> bytes:
        """Decrypts a message of `encrypt`, under the same nonce and associated data. Raises
        `InvalidTag` if anything of it has been altered, and `ValueError` for a nonce of another
        length.
        """
    def encrypt_into(
        self, nonce: Buffer, data: Buffer, associated_data: Buffer | None, buf: WritableBuffer
    ) -> int:
        """The same as `encrypt`, into `buf`, which may overlap with `data`. Returns how many bytes of
        it are written. Raises `ValueError` if it has too few.
        """
    def decrypt_into(
        self, nonce: Buffer, data: Buffer, associated_data: Buffer | None, buf: WritableBuffer
    ) -> int:
        """The same as `decrypt`, into `buf`, which may overlap with `data`. Returns how many bytes of
        it are written. If `InvalidTag` is raised, those are zeros. Raises `ValueError` if it has
        too few.
        """
    def seal(self, data: Buffer, associated_data: Buffer | None = None) -> bytes:
        """Encrypts `data` under a random nonce. The result is all that `open` needs beside the key:
        nonce, ciphertext and tag, `nonce_bytes + tag_bytes` more than `data`. Raises
        `LimitExceeded` for an algorithm with which random nonces would soon repeat.
        """
    def open(self, sealed: Buffer, associated_data: Buffer | None = None) -> bytes:
        """Decrypts a message of `seal`. Raises `InvalidTag` if anything of it has been altered."""
    def seal_many(self, items: Iterable[tuple[Buffer, Buffer | None]]) -> list[bytes]:
        """`seal` for each pair of data and associated data, which may be `None`. Short messages go
        side by side, which takes less time on some CPUs. Raises what `seal` does.
        """
    def __reduce__(self) -> NoReturn: ...

class Mac:
    """A MAC under a key: the base of all classes of MACs. `mac()` makes one by its name."""
    #: The name in the registry.
    algorithm: ClassVar[str]
    #: The sizes of a key, a nonce and a tag in bytes.
    key_bytes: ClassVar[int]
    nonce_bytes: ClassVar[int]
    tag_bytes: ClassVar[int]
    def __new__(cls, key: Buffer | SecretKey | KeyRef) -> Self: ...
    @classmethod
    def generate_key(cls) -> SecretKey:
        """A fresh random key of `key_bytes` bytes."""
    def sign(self, nonce: Buffer, data: Buffer) -> bytes:
        """The tag of `data`, of `tag_bytes` bytes, under a nonce of `nonce_bytes` bytes. The class
        says whether a nonce may be repeated. Raises `ValueError` for a nonce of another length.
        """
    def verify(self, nonce: Buffer, data: Buffer, tag: Buffer) -> None:
        """Returns if `tag` is that of `data`, and raises `InvalidTag` otherwise. The tags are compared
        in constant time. Raises `ValueError` for a nonce of another length.
        """
    def __reduce__(self) -> NoReturn: ...

@final
class Flex:
    """Flex under a key, with a configuration of your own and setup associated data, which say together
    what the key is for. The named configurations have classes, such as `FlexOch`.
    """
    def __new__(
        cls, key: Buffer | SecretKey | KeyRef, config: str | Buffer, setup_ad: Buffer | None = None
    ) -> Self: ...
    @staticmethod
    def configuration(
        mode: Literal["och", "civ", "robust", "robust-ae"],
        *,
        profile: str = "S512",
        hidden_nonce: int | None = None,
        public_nonce: int | None = None,
        any_public_nonce: bool = False,
        tag: int | None = None,
        stretch: int | None = None,
        segment: int | None = None,
        prehash_setup_ad: bool = False,
        allow_64_bits: bool = False,
    ) -> bytes:
        """The eight bytes of a configuration. Defaults are those of `Config::builder` in Rust: the
        profile S512, its longest tag, a hidden nonce of 32 bytes (or the longest that can be
        hidden). Raises `ValueError` naming the rule that is broken.
        """
    @property
    def config(self) -> bytes:
        """The eight bytes of the configuration."""
    @property
    def hides_nonce(self) -> bool:
        """Whether the nonce is hidden in the ciphertext."""
    @property
    def overhead_bytes(self) -> int:
        """The bytes that a ciphertext has beside the message's, if it is in one piece."""
    def encrypt(self, nonce: Buffer, data: Buffer, associated_data: Buffer | None = None) -> bytes:
        """Encrypts `data` and authenticates it together with `associated_data`. The result has
        `overhead_bytes` more than `data`. Raises `ValueError` for a nonce that the configuration
        does not allow.
        """
    def decrypt(self, nonce: Buffer, data: Buffer, associated_data: Buffer | None = None) -> bytes:
        """Decrypts a message of `encrypt`. With a hidden nonce, the nonce is `b""`. Raises
        `InvalidTag` if anything of it has been altered.
        """
    def decrypt_with_nonce(self, data: Buffer, associated_data: Buffer | None = None) -> tuple[bytes, bytes]:
        """Decrypts a message of `encrypt`, and returns the nonce that was hidden and the message.
        Raises `InvalidTag` if anything of it has been altered.
        """
    def seal(self, data: Buffer, associated_data: Buffer | None = None) -> bytes:
        """Encrypts `data` under a random nonce. The result is all that `open` needs beside the key."""
    def open(self, sealed: Buffer, associated_data: Buffer | None = None) -> bytes:
        """Decrypts a message of `seal`. Raises `InvalidTag` if anything of it has been altered."""
    def __reduce__(self) -> NoReturn: ...

@final
class WideBlock:
    """A wide-block cipher under a key. **It does not commit**: anyone who knows two keys can make a
    ciphertext that opens under both. The name says what else it does not give:
    `wide-block-robust-no-commitment` is 16 bytes longer than the message and refuses altered
    ciphertexts; with `wide-block-length-preserving-no-authenticity` every ciphertext opens, to
    something. `wide-block-no-commitment:cfg=` and `wide-block-no-authenticity:cfg=` take any
    configuration with and without a stretch, in 16 hexadecimal digits.
    """
    def __new__(
        cls, key: Buffer | SecretKey | KeyRef, name: str, setup_ad: Buffer | None = None
    ) -> Self: ...
    @property
    def config(self) -> bytes:
        """The eight bytes of the configuration."""
    @property
    def hides_nonce(self) -> bool:
        """Whether the nonce is hidden in the ciphertext."""
    @property
    def overhead_bytes(self) -> int:
        """The bytes that a ciphertext has beside the message's."""
    def encipher(self, nonce: Buffer, data: Buffer, associated_data: Buffer | None = None) -> bytes:
        """Enciphers `data`. Under one nonce and associated data, equal messages are seen to be equal."""
    def decipher(self, nonce: Buffer, data: Buffer, associated_data: Buffer | None = None) -> bytes:
        """Deciphers a message of `encipher`. With a hidden nonce, the nonce is `b""`. Raises
        `InvalidTag` if the stretch is not zeros; without a stretch nothing is refused.
        """
    def decipher_with_nonce(self, data: Buffer, associated_data: Buffer | None = None) -> tuple[bytes, bytes]:
        """Deciphers a message of `encipher`, and returns the nonce that was hidden and the message.
        Raises `InvalidTag` as `decipher` does.
        """
    def __reduce__(self) -> NoReturn: ...

@final
class SecretKey:
    """A secret key. Its bytes are wiped when it is no longer used, its `repr` does not show them, and
    it cannot be pickled: send a `KeyRef` instead.

    >>> key = SecretKey.generate()
    >>> key
    SecretKey(32 bytes)
    >>> key == SecretKey(key.reveal())
    True
    """
    def __new__(cls, key: Buffer) -> Self: ...
    @staticmethod
    def generate(length: int = 32) -> SecretKey:
        """A fresh random key of `length` bytes, from the operating system."""
    @staticmethod
    def from_key_file(contents: Buffer) -> SecretKey:
        """The key in the contents of a key file: one line `polyseal-key-1-…` among comments, or its 32
        bytes. Raises `ValueError` if there is none.
        """
    def to_key_file(self) -> str:
        """The contents of a key file with this key, for the tool and for `KeyRef("file:…")`. Raises
        `ValueError` if the key has not 32 bytes.
        """
    def reveal(self) -> bytes:
        """The bytes of the key. Python wipes no bytes: the copy stays in memory until it is reused."""
    def __len__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __reduce__(self) -> NoReturn: ...

def key_of_file(contents: Buffer) -> SecretKey:
    """The key in the contents of a key file, plain or wrapped."""
def unwrap_key(contents: Buffer, anew: bool = False) -> SecretKey:
    """The key in the contents of a wrapped key file: anew from its keeper, or as this process has it."""
def make_wrapped_key(uri: str, context: list[tuple[str, str]]) -> tuple[str, SecretKey]:
    """A fresh key, and the contents of its wrapped key file. The URI is the caller's own, and may name
    a module.
    """
def rewrap_key(contents: Buffer) -> str:
    """The contents of a wrapped key file with the same key, wrapped again."""
def inspect_wrapped_key(contents: Buffer) -> tuple[str, list[tuple[str, str]], str | None, str | None]:
    """The fields of a wrapped key file. Nobody is asked."""
def make_key_pair(uri: str) -> tuple[str, str]:
    """The contents of an identity file, and the recipient, of the key pair with this URI, which is
    made if it does not exist.
    """
def identity_of_uri(uri: str) -> str:
    """The contents of an identity file for the key pair that a reference names."""
def forget_keys() -> None:
    """Wipes the keys that this process has of wrapped key files."""

@final
class KeySet:
    """Keys, identities and recipients of age, a passphrase, and the context of a file."""
    def __new__(
        cls,
        keys: list[SecretKey],
        identities: list[tuple[bytes, str | None]],
        recipients: list[str],
        passphrase: bytes | None,
        context: bytes | None,
    ) -> Self: ...
    def __reduce__(self) -> NoReturn: ...

@final
class Reader:
    def __new__(
        cls,
        file: object,
        key_set: KeySet,
        threads: int,
        wanted: _Wanted | None,
    ) -> Self: ...
    @staticmethod
    def in_tree(
        tree: str | PathLike[str],
        path: str | PathLike[str],
        key_set: KeySet,
        threads: int,
        at_least: int | None,
        signers: _Wanted | None,
        manifest: bytes | None,
    ) -> Reader:
        """The file at `path` in the sealed tree `tree`, which must be the one that its manifest names:
        that with the file salt `manifest`, if one is given.
        """
    @property
    def size(self) -> int:
        """The length of the plaintext in bytes."""
    def read_at(self, offset: int, size: int) -> bytes:
        """At most `size` bytes from `offset`; fewer only at the end."""
    def read_into(self, offset: int, buffer: WritableBuffer) -> int:
        """Fills `buffer` from `offset`; returns fewer bytes only at the end. If it fails, the written
        part is zeros.
        """

@final
class StreamSealer:
    """Seals one file from its beginning to its end: store `header`, then what `write` returns, then
    what `finish` returns. With `sign`, there is a `statement` then.

    >>> import polyseal
    >>> key = polyseal.SecretKey.generate()
    >>> sealer = polyseal.StreamSealer(key=key)
    >>> stored = sealer.header + sealer.write(b"attack at ") + sealer.finish(b"dawn")
    >>> import io
    >>> polyseal.open(io.BytesIO(stored), key=key).read()
    b'attack at dawn'
    """
    def __new__(
        cls,
        *,
        suite: str | None = None,
        segment_size: int | None = None,
        header_size: int = 0,
        threads: int = 1,
        sign: SigningKey | None = None,
        **key_set: Unpack[KeySetArgs],
    ) -> Self: ...
    @property
    def header(self) -> bytes:
        """The header: the first bytes of the file."""
    def write(self, data: Buffer) -> bytes:
        """Takes more plaintext. Returns the next bytes to store, which may be none yet. Raises
        `ValueError` once the file is finished.
        """
    def finish(self, data: Buffer | None = None) -> bytes:
        """Takes the last of the plaintext. Returns the end of the file. Raises `ValueError` once it is
        finished.
        """
    def statement(self) -> bytes:
        """The signed statement about the file, once it is finished, for a sealer that was made with
        `sign`: store it beside the file, as `NAME.sig`. Raises `ValueError` before, and the second
        time.
        """

@final
class AllowedSigners:
    """A list of signers whose statements are accepted, as `ssh-keygen -Y verify` reads it: a line has
    a name and a public key. Raises `ValueError` for a line that is not understood.

    >>> import polyseal
    >>> key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti"
    >>> polyseal.AllowedSigners(f"alice@example.org {key}")
    <polyseal.AllowedSigners: 1 key>
    """
    def __new__(cls, text: str) -> Self: ...
    @staticmethod
    def from_file(path: str | PathLike[str]) -> AllowedSigners:
        """The list in the file at `path`."""
    def __len__(self) -> int: ...

@final
class SigningKey:
    """A private key that signs: the text of a private key file of OpenSSH, without a passphrase.
    Raises `ValueError` for another key. For a key with a passphrase, on a token, or of RSA, sign
    with the tool: `polyseal sign`.
    """
    def __new__(cls, text: str | Buffer) -> Self: ...
    @staticmethod
    def generate() -> SigningKey:
        """A fresh key, of Ed25519."""
    @staticmethod
    def from_file(path: str | PathLike[str]) -> SigningKey:
        """The key in the file at `path`."""
    def to_openssh(self) -> str:
        """The text of a private key file with this key."""
    @property
    def public_key(self) -> str:
        """The public key: a list of allowed signers has it behind a name."""

@final
class SignedStatement:
    """A statement in a store, whose signer was accepted: `beginning` are the bytes that `wanted` says,
    of a stored statement of `size` bytes. Give it to an `Opener`, and hold the hashes of what is
    opened. Raises `NotSignedError` if its signer is not among `signers`, or is not the one named
    `by`.
    """
    def __new__(cls, beginning: Buffer, size: int, signers: AllowedSigners, by: str | None = None) -> Self: ...
    @staticmethod
    def wanted(beginning: Buffer, size: int) -> range:
        """The bytes to fetch of a stored statement of `size` bytes, whose first bytes are there: empty
        when there are enough.
        """
    @property
    def signer(self) -> tuple[str, str]:
        """The names that the list has for the key, and the fingerprint of the key."""
    def hold(self, start: int, stop: int) -> HeldHashes:
        """The hashes for the plaintext from `start` to `stop`."""

@final
class HeldHashes:
    """The hashes for a part of a plaintext, which opens as long as this is there."""
    @property
    def missing(self) -> range:
        """The bytes of the stored statement that are to be fetched; empty if none are missing."""
    def take(self, stored: Buffer) -> None:
        """Takes the missing bytes. Raises `NotSignedError` if they are not the hashes of the file."""

@final
class Version:
    """The marks of a store's file that change with its contents: its size, its entity tag, and others."""
    def __new__(cls, size: int, tag: str | None = None, marks: Sequence[str] | None = None) -> Self: ...
    @property
    def size(self) -> int:
        """The number of stored bytes."""
    @property
    def tag(self) -> str | None:
        """The entity tag."""
    @property
    def if_match(self) -> str | None:
        """The tag to send in `If-Match`; `None` if it is a weak one."""
    @property
    def is_told(self) -> bool:
        """Whether the store tells anything but the size."""
    @property
    def text(self) -> str:
        """The same as text: empty if nothing but the size is told."""
    def is_same(self, other: Version) -> bool:
        """Whether what was told at another time is told of the same version."""
    def __hash__(self) -> int: ...

@final
class Opener:
    """A stored file that is being opened. `wanted` says which bytes are to be fetched, `take` takes
    them; when none are wanted any more, there is the `payload`. With a `statement`, nothing is
    opened that it does not cover.
    """
    def __new__(
        cls, version: Version, *, segment_size: int | None = None, statement: SignedStatement | None = None
    ) -> Self: ...
    def wanted(self, **key_set: Unpack[KeySetArgs]) -> list[tuple[int, int]]:
        """The stored bytes that are wanted next, as pairs of their first and the one behind their
        last: they can be fetched at once. As soon as the header is there it is unlocked with these
        keys. None are wanted when the file can be opened. Raises `NoMatchingKey`, `WrongPassphrase`
        and `ContextMismatch` if they do not fit, and `HeaderError` if there is no file to open.
        """
    def take(self, start: int, stop: int, stored: Buffer) -> None:
        """Takes the bytes from `start` to `stop`, which were wanted. Raises `HeaderError` and
        `CorruptSegment` if they are not those of a file.
        """
    def payload(self) -> tuple[Payload, int, bytes]:
        """The payload, whose length is certain now; and the stored bytes at the end of the file that
        have been fetched, with where they begin. An opener is good for one payload. Raises
        `CorruptSegment` if the file has been cut short, extended or altered at its end.
        """

@final
class PayloadHead:
    """A payload whose header has been opened, and whose last segment has not: without it nothing says
    that the payload has not been cut short or extended.
    """
    def __new__(
        cls, header: Buffer, stored_size: int, *, detached: bool = False, **key_set: Unpack[KeySetArgs]
    ) -> Self: ...
    @property
    def last_range(self) -> range:
        """Where the last segment is stored."""
    def certain(self, stored: Buffer) -> Payload:
        """The payload, once `stored`, the bytes of `last_range`, prove to be its end. A head is good
        for one payload. Raises `CorruptSegment` if they do not prove it.
        """

@final
class Payload:
    """A payload of which ranges are opened. It can be shared by threads."""
    @staticmethod
    def open(
        header: Buffer,
        stored_size: int,
        fetch: Callable[[int, int], Buffer],
        *,
        detached: bool = False,
        **key_set: Unpack[KeySetArgs],
    ) -> Payload:
        """Opens the payload of `header`, of which so many bytes are stored, the header's included
        unless it is `detached`. `fetch(start, stop)` returns stored bytes: it is called once, for
        the last segment, without which nothing says that the payload has not been cut short or
        extended. Raises what opening a file does.
        """
    @property
    def size(self) -> int:
        """The length of the plaintext in bytes."""
    @property
    def segment_size(self) -> int:
        """The bytes of plaintext in a segment, the last excepted."""
    def stored_range(self, start: int, stop: int) -> range:
        """Where the segments are stored that hold the plaintext from `start` to `stop`, which is cut
        off at the end.
        """
    def open_range(self, start: int, stop: int, stored: Buffer) -> bytes:
        """The plaintext from `start` to `stop`, from the bytes of `stored_range(start, stop)`. Raises
        `CorruptSegment` if they are not authentic, and `ValueError` if their number is wrong.
        """

@final
class Outline:
    """The sizes that the first bytes of a file give, for lists of many files. Nothing of it is
    authenticated.
    """
    #: The bytes that `parse` takes.
    BYTES: ClassVar[int]
    def __eq__(self, other: object, /) -> bool: ...
    __hash__: ClassVar[None]  # type: ignore[assignment]
    @staticmethod
    def parse(first: Buffer) -> Outline:
        """Reads the outline from `first`, at least the first `Outline.BYTES` bytes of a file. Raises
        `HeaderError` if it is none of Polyseal.
        """
    @property
    def header_size(self) -> int:
        """The length of the header in bytes."""
    @property
    def segment_size(self) -> int:
        """The bytes of plaintext in a segment, the last excepted."""
    @property
    def suite(self) -> str:
        """The name of the suite."""
    def size(self, stored_size: int, *, detached: bool = False) -> int | None:
        """The length of the plaintext of a file of `stored_size` bytes; `None` if no file has that
        length. With `detached`, of a payload whose header is kept elsewhere.
        """

@final
class Sealer:
    """Seals parts of a file of a known length; a ticket makes one in another process. Every part is of
    one version of the source, which is named again with each.
    """
    def __new__(
        cls,
        size: int,
        source: Buffer,
        *,
        suite: str | None = None,
        segment_size: int | None = None,
        header_size: int = 0,
        detached: bool = False,
        **key_set: Unpack[KeySetArgs],
    ) -> Self: ...
    @staticmethod
    def from_ticket(ticket: Buffer, source: Buffer, **key_set: Unpack[KeySetArgs]) -> Sealer:
        """The sealer of another process, from its ticket. Raises `SourceChanged` if that was made for
        another version of the source, and `NoMatchingKey` if these keys do not open it.
        """
    def ticket(self) -> bytes:
        """The ticket that another process needs beside the key: nothing secret."""
    def ticket_for(self, **key_set: Unpack[KeySetArgs]) -> bytes:
        """The ticket for workers that cannot open the file: these keys open the ticket alone."""
    @property
    def header(self) -> bytes:
        """The header of the file."""
    @property
    def size(self) -> int:
        """The length of the plaintext in bytes."""
    @property
    def stored_size(self) -> int:
        """The number of bytes that will be stored."""
    def parts(self, part_size: int) -> list[range]:
        """The ranges of the stored bytes, in parts of `part_size` bytes but for the last."""
    def stored_range(self, start: int, stop: int) -> range:
        """Where the whole segments are stored that hold the plaintext from `start` to `stop`."""
    def plaintext_range(self, start: int, stop: int) -> range:
        """The plaintext that sealing the stored bytes from `start` to `stop` takes."""
    def seal(self, start: int, stop: int, source: Buffer, plaintext: Buffer) -> bytes:
        """The stored bytes from `start` to `stop`. `plaintext` is that of `plaintext_range(start,
        stop)` in the version `source`. Raises `SourceChanged` for another version, or for another
        plaintext than this sealer has sealed there.
        """

@final
class NewFile:
    """An output file that appears when it is committed, complete, or not at all."""
    def __new__(cls, path: str | PathLike[str], overwrite: bool) -> Self: ...
    def write(self, data: Buffer) -> int:
        """Writes all of `data`."""
    def mark(self, name: str, value: str) -> None:
        """Gives the file an attribute, where the file system has them."""
    def descriptor(self) -> int:
        """A descriptor of the file that the caller closes: it tells of this very file, also when it
        has its name, whatever that name comes to mean.
        """
    def close(self) -> None:
        """All is written, and on disk: now only a commit gives it its name."""
    def commit(self) -> None:
        """Gives the file its name. File and name are on disk then."""
    def discard(self) -> None:
        """It does not appear."""

@final
class TreeEntries:
    """The entries of a sealed tree, one after the other."""
    @property
    def number(self) -> int:
        """The number of its manifest: one more with each update."""
    @property
    def manifest(self) -> bytes:
        """The file salt of its manifest."""
    def __iter__(self) -> Self: ...
    def __next__(self) -> tuple[str, str, str, str | None, int, int, int | None]: ...

@final
class Directory:
    """An open directory: what is beneath it is reached through no link, whatever is put there."""
    def __new__(cls, path: str | PathLike[str]) -> Self: ...
    @staticmethod
    def for_output(path: str | PathLike[str]) -> Directory:
        """The same for an output: a link as its last name is followed only if this user or root has
        made it.
        """
    def file(self, path: str | PathLike[str]) -> int:
        """A descriptor of the regular file `path` beneath it, to be read."""
    def new_file(self, path: str | PathLike[str], overwrite: bool) -> NewFile:
        """The file `path` beneath it, to be written; directories on the way are made."""

def has_secret(text: str | PathLike[str]) -> bool:
    """Whether a key stands in a text that should say where a key is. No message may repeat it then:
    messages are logged.
    """
def printable(text: str | PathLike[str]) -> str:
    """A text that somebody else has chosen, such as a name, for messages: control characters and marks
    of direction are spelt out, and keys are withheld.
    """
def algorithm_class(name: str) -> type[Any]:
    """The class of the algorithm with this registry name, such as `aegis-128l:tag=32`."""
def suites() -> list[str]:
    """The names of all suites: the algorithms that files are encrypted with."""
def encrypt_file(
    src: object,
    dst: object,
    key_set: KeySet,
    overwrite: bool,
    suite: str | None,
    segment_size: int | None,
    header_size: int,
    threads: int | None,
    progress: Callable[[int, int | None], object] | None,
    sign: tuple[SigningKey, str | None] | None,
) -> tuple[int, int, bytes | None, tuple[str, str] | None]: ...
def decrypt_file(
    src: object,
    dst: object,
    key_set: KeySet,
    overwrite: bool,
    threads: int | None,
    progress: Callable[[int, int | None], object] | None,
    wanted: _Wanted | None,
) -> tuple[int, int, bytes | None, tuple[str, str] | None]: ...
def verify_file(
    src: object,
    key_set: KeySet,
    threads: int | None,
    progress: Callable[[int, int | None], object] | None,
    wanted: _Wanted | None,
) -> tuple[int, int, bytes | None, tuple[str, str] | None]: ...
def verify_signature(
    path: str | PathLike[str], threads: int | None, wanted: tuple[AllowedSigners, str | None, str | None]
) -> tuple[int, int, bytes | None, tuple[str, str] | None]:
    """Compares a stored file with its statement, without a key."""
def sign_file(
    path: str | PathLike[str], key: SigningKey, key_set: KeySet | None, signature: str | None, overwrite: bool
) -> None:
    """Signs a file that is there: one that these keys open is bound to its key, another to its header."""
def inspect(src: object) -> str:
    """Describes a file by its header, as JSON."""
def inspect_header(header: Buffer, stored_size: int | None) -> str:
    """Describes a file by its header, of which so many bytes are stored, as JSON."""
def rekey_header(header: Buffer, key_set: KeySet, new: KeySet, keep: bool) -> bytes:
    """The header, of the same length, for other recipients."""
def rekey_file(path: str | PathLike[str], key_set: KeySet, new: KeySet, keep: bool, new_key: bool) -> None:
    """Other recipients for a file, by a new file that takes its place."""
def encrypt_tree(
    source: str | PathLike[str],
    target: str | PathLike[str],
    key_set: KeySet,
    overwrite: bool,
    jobs: int | None,
    exclude: Callable[[str], bool] | None,
    suite: str | None,
    segment_size: int | None,
    header_size: int,
    update: tuple[str | PathLike[str] | None, bool, bool, bool] | None,
    progress: Callable[[int, int, int, int], object] | None,
    sign: SigningKey | None,
) -> tuple[int, int, int, int, int, int]: ...
def decrypt_tree(
    source: str | PathLike[str],
    target: str | PathLike[str],
    key_set: KeySet,
    overwrite: bool,
    preserve_permissions: bool,
    allow_unbound_contents: bool,
    paths: list[str] | None,
    resume: bool,
    deleted: bool,
    at_least: int | None,
    jobs: int | None,
    exclude: Callable[[str], bool] | None,
    progress: Callable[[int, int, int, int], object] | None,
    signers: _Wanted | None,
) -> tuple[int, int, int, int, int, int]: ...
def sign_tree(
    source: str | PathLike[str],
    key_set: KeySet,
    sign: SigningKey,
    jobs: int | None,
    progress: Callable[[int, int, int, int], object] | None,
) -> tuple[int, int, int, int, int, int]:
    """Signs a sealed tree as it is."""
def verify_signed_tree(
    source: str | PathLike[str],
    signers: _Wanted,
    paths: list[str] | None,
    at_least: int | None,
    jobs: int | None,
    exclude: Callable[[str], bool] | None,
    progress: Callable[[int, int, int, int], object] | None,
) -> tuple[int, int, int, int, int, int]:
    """Compares the stored files of a sealed tree with what was signed."""
def verify_tree(
    source: str | PathLike[str],
    key_set: KeySet,
    allow_unbound_contents: bool,
    paths: list[str] | None,
    at_least: int | None,
    jobs: int | None,
    exclude: Callable[[str], bool] | None,
    progress: Callable[[int, int, int, int], object] | None,
    signers: _Wanted | None,
) -> tuple[int, int, int, int, int, int]: ...
def list_tree(
    source: str | PathLike[str],
    key_set: KeySet,
    allow_unbound_contents: bool,
    paths: list[str] | None,
    at_least: int | None,
    signers: _Wanted | None,
) -> TreeEntries: ...
def bind_tree(
    source: str | PathLike[str],
    key_set: KeySet,
    new: KeySet,
    jobs: int | None,
    progress: Callable[[int, int, int, int], object] | None,
) -> tuple[int, int, int, int, int, int]: ...
def rekey_tree(
    source: str | PathLike[str],
    key_set: KeySet,
    new: KeySet,
    keep: bool,
    allow_unbound_contents: bool,
    jobs: int | None,
    progress: Callable[[int, int, int, int], object] | None,
) -> tuple[int, int, int, int, int, int]: ...
