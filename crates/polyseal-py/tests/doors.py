"""One operation on files by name, through the door of Python or of C: what the scenarios run.

    python doors.py python|c USER UMASK OPERATION key=value …

It becomes the user when all that it needs has been loaded, and prints ``ok``, or the name of the error.
"""

from __future__ import annotations

import ctypes
import os
import sys

import polyseal

#: The numbers of polyseal.h, by what they mean here.
_C_ERRORS = {25: "NoMatchingKey", **dict.fromkeys((22, 23, 24, 28, 29, 30, 34), "Content")}


class COptions(ctypes.Structure):
    """``polyseal_options``."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("key", ctypes.c_void_p),
        ("key_file", ctypes.c_char_p),
        ("age_recipients", ctypes.c_char_p),
        ("age_identities", ctypes.c_char_p),
        ("passphrase", ctypes.c_char_p),
        ("passphrase_bytes", ctypes.c_size_t),
        ("context", ctypes.c_char_p),
        ("context_bytes", ctypes.c_size_t),
        ("suite", ctypes.c_char_p),
        ("segment_bytes", ctypes.c_size_t),
        ("threads", ctypes.c_size_t),
        ("overwrite", ctypes.c_int),
        ("armor", ctypes.c_int),
    ]


def in_python(operation: str, of: dict[str, str]) -> str:
    """By the package."""
    keys = [polyseal.KeyRef(f"file:{name}") for name in of.pop("key", "").split(",") if name]
    to = [polyseal.KeyRef(f"file:{name}") for name in of.pop("to", "").split(",") if name]
    source, target = of.pop("input"), of.pop("output", None)
    options = {name: value == "true" for name, value in of.items()}
    call = getattr(polyseal, operation if operation.endswith("_tree") else operation + "_file")
    if operation.startswith("rekey"):
        call(source, key=keys, to={"key": to}, keep=options.pop("keep", False), **options)
    elif target is None:
        call(source, key=keys, **options)
    else:
        call(source, target, key=keys, **options)
    return "ok"


def in_c(library: ctypes.CDLL, operation: str, of: dict[str, str]) -> str:
    """By the library for C."""
    opens, to = COptions(size=ctypes.sizeof(COptions)), COptions(size=ctypes.sizeof(COptions))
    opens.key_file, to.key_file = of["key"].encode(), of.get("to", "").encode() or None
    opens.overwrite = of.get("overwrite") == "true"
    source, target = of["input"].encode(), of.get("output", of["input"]).encode()
    function = getattr(library, f"polyseal_{operation}_file")
    if operation == "rekey":
        if "output" not in of:
            opens.overwrite = 1
        flags = {"keep": 1, "new_key": 2}
        flag = next((number for name, number in flags.items() if of.get(name) == "true"), 0)
        failed = function(source, target, ctypes.byref(opens), ctypes.byref(to), flag)
    elif operation == "verify":
        failed = function(source, ctypes.byref(opens))
    else:
        failed = function(source, target, ctypes.byref(opens))
    if not failed:
        return "ok"
    library.polyseal_last_error_text.restype = ctypes.c_char_p
    print(library.polyseal_last_error_text().decode(), file=sys.stderr)
    return _C_ERRORS.get(library.polyseal_last_error(), "Refused")


def main() -> None:
    door, user, mask, operation, *arguments = sys.argv[1:]
    of = dict(argument.split("=", 1) for argument in arguments)
    library = ctypes.CDLL(os.environ["POLYSEAL_C"]) if door == "c" else None
    if int(user):
        os.setgroups([])
        os.setgid(int(user))
        os.setuid(int(user))
    os.umask(int(mask, 8))
    try:
        print(in_python(operation, of) if library is None else in_c(library, operation, of))
    except Exception as error:
        errors = [each.error for each in error.failures] if isinstance(error, polyseal.TreeError) else [error]
        print(*(base.__name__ for base in type(errors[0]).__mro__))
        print(repr(errors[0]), file=sys.stderr)


if __name__ == "__main__":
    main()
