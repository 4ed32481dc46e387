"""Authenticated encryption of messages and files.

Messages: a class for each algorithm.

>>> from polyseal import KcXaes256Gcm
>>> key = KcXaes256Gcm.generate_key()
>>> cipher = KcXaes256Gcm(key)
>>> sealed = cipher.seal(b"attack at dawn", b"header")
>>> cipher.open(sealed, b"header")
b'attack at dawn'

Files: ``polyseal.open`` reads any part of one, and writes one that appears when it is complete. Whole trees:
``polyseal.encrypt_tree``.

Nothing here needs to be initialised, and everything can be used by several threads at once, but for the
position of a file object.
"""

from ._polyseal import (
    Aead,
    AllowedSigners,
    HeldHashes,
    Mac,
    Opener,
    Outline,
    Payload,
    PayloadHead,
    Sealer,
    SecretKey,
    SignedStatement,
    SigningKey,
    StreamSealer,
    Version,
    __version__,
    suites,
)
from ._key_set import KeySetArgs
from .algorithms import *
from .algorithms import __all__ as _algorithms
from .errors import (
    ContextMismatch,
    CorruptSegment,
    HeaderError,
    IncompleteTree,
    InvalidTag,
    KeyUnavailable,
    LimitExceeded,
    ManifestError,
    NoMatchingKey,
    NotSignedError,
    PolysealError,
    SourceChanged,
    TreeError,
    TreeFailure,
    TreeMismatch,
    WrongPassphrase,
)
from .files import (
    EncryptedReader,
    EncryptedWriter,
    Inspection,
    Signer,
    Summary,
    decrypt_file,
    encrypt_file,
    inspect,
    inspect_header,
    open,
    rekey_file,
    rekey_header,
    sign_file,
    verify_file,
)
from .keys import KeyRef
from .trees import (
    TreeEntry,
    TreeListing,
    TreeProgress,
    TreeSummary,
    bind_tree,
    decrypt_tree,
    encrypt_tree,
    list_tree,
    open_in_tree,
    rekey_tree,
    sign_tree,
    verify_tree,
)

__all__ = [
    "Aead",
    "AllowedSigners",
    "ContextMismatch",
    "CorruptSegment",
    "EncryptedReader",
    "EncryptedWriter",
    "Flex",
    "HeaderError",
    "HeldHashes",
    "IncompleteTree",
    "Inspection",
    "InvalidTag",
    "KeyRef",
    "KeyUnavailable",
    "LimitExceeded",
    "Mac",
    "ManifestError",
    "NoMatchingKey",
    "NotSignedError",
    "Opener",
    "Outline",
    "Payload",
    "PayloadHead",
    "PolysealError",
    "Sealer",
    "SecretKey",
    "SignedStatement",
    "Signer",
    "SigningKey",
    "SourceChanged",
    "StreamSealer",
    "Summary",
    "TreeEntry",
    "TreeError",
    "TreeFailure",
    "TreeListing",
    "TreeMismatch",
    "TreeProgress",
    "TreeSummary",
    "Version",
    "KeySetArgs",
    "WrongPassphrase",
    "__version__",
    "bind_tree",
    "decrypt_file",
    "decrypt_tree",
    "encrypt_file",
    "encrypt_tree",
    "inspect",
    "inspect_header",
    "list_tree",
    "open",
    "open_in_tree",
    "rekey_file",
    "rekey_header",
    "rekey_tree",
    "sign_file",
    "sign_tree",
    "suites",
    "verify_file",
    "verify_tree",
]
__all__ += _algorithms
try:
    from ._polyseal import Flex as Flex
except ImportError:  # Built without the feature `flex`.
    __all__.remove("Flex")
