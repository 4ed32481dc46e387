"""The wrapped key file, as docs/spec/wrapped-key.md has it: read, written, and its check value.

What only a keeper can do, to unwrap a key, is not here. `python research/reference/wrapped_key.py` writes the vectors.
"""

import base64
import hashlib
import hmac
import json
import re
from dataclasses import dataclass, replace
from pathlib import Path

MAGIC = "polyseal-wrapped-key-1"
FIRST_WORDS = ("aws-kms://", "gcp-kms://", "azure-kv://", "hcvault://", "pkcs11:", "tpm:", "secret-service:")
SERVICES = (
    "aws-kms://arn:aws:kms:eu-west-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab",
    "gcp-kms://projects/p/locations/global/keyRings/r/cryptoKeys/k",
    "azure-kv://team.vault.azure.net/backup",
    "hcvault://vault.example:8200/transit/keys/backup",
)
FROM_A_USER_ALONE = ("module-path", "module-name", "pin-value", "pin-source")
RECIPIENT = re.compile("age1tag1[02-9ac-hj-np-z]{59}")  # its checksum and its point are not looked at
VECTORS = Path(__file__).resolve().parents[2] / "vectors/wrapped-key/files.json"


class Refused(Exception):
    """Not a wrapped key file."""


@dataclass(frozen=True)
class Wrapped:
    kms: str
    context: tuple  # of (name, value), in order
    key_id: str | None
    recipient: str | None
    blob: bytes
    check: str

    def text(self):
        """The text that the check value covers."""
        lines = [MAGIC, f"kms: {self.kms}"]
        lines += [f"context: {encode(name)}={encode(value)}" for name, value in self.context]
        lines += [f"key-id: {self.key_id}"] if self.key_id is not None else []
        lines += [f"recipient: {self.recipient}"] if self.recipient is not None else []
        name = "wrapped" if self.recipient is None else "sealed"
        return "".join(f"{line}\n" for line in [*lines, f"{name}: {base64.b64encode(self.blob).decode()}"])

    def is_of(self, key):
        return hmac.compare_digest(self.check, check(key, self.text()))

    def file(self):
        return f"{self.text()}check: {self.check}\n"


def encode(text):
    safe = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
    return "".join(chr(byte) if byte in safe else f"%{byte:02X}" for byte in text.encode())


def decode(text):
    data = re.sub(rb"%([0-9A-F]{2})", lambda found: bytes.fromhex(found[1].decode()), text.encode())
    try:
        decoded = data.decode()
    except UnicodeDecodeError:
        raise Refused("a pair is not encoded") from None
    if encode(decoded) != text:
        raise Refused("a pair is not in its one spelling")
    return decoded


def check(key, text):
    prk = hmac.digest(bytes(32), key, "sha256")
    check_key = hmac.digest(prk, b"polyseal-wrapped-key-1 check\x01", "sha256")
    return hmac.new(check_key, text.encode(), hashlib.sha256).hexdigest()


def wrap(key, kms, context, key_id, recipient, blob):
    wrapped = Wrapped(kms, tuple(sorted(context, key=lambda pair: pair[0].encode())), key_id, recipient, blob, "")
    return replace(wrapped, check=check(key, wrapped.text()))


def refuse(unless, why):
    if not unless:
        raise Refused(why)


def parse(file):
    refuse(len(file) <= 65536, "too long")
    *lines, last = file.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    lines = [line.strip(b" \t") for line in [*(line.removesuffix(b"\r") for line in lines), last]]
    lines = [line for line in lines if line and not line.startswith(b"#")]
    refuse(all(0x20 <= byte < 0x7F for line in lines for byte in line), "not printable ASCII")
    lines = [line.decode() for line in lines]
    refuse(lines and lines.pop(0) == MAGIC, "another first line")

    def take(name, must=True):
        if lines and lines[0].startswith(f"{name}: "):
            return lines.pop(0).removeprefix(f"{name}: ")
        refuse(not must, f"no line {name}")
        return None

    kms = take("kms")
    refuse(len(kms) <= 2048 and kms.startswith(FIRST_WORDS) and " " not in kms, "no URI")
    refuse(not any(word in kms for word in FROM_A_USER_ALONE), "what only a user may say")
    context = []
    while (pair := take("context", must=False)) is not None:
        name, equals, value = pair.partition("=")
        refuse(equals and name and value, "no pair")
        context.append((decode(name), decode(value)))
    names = [name.encode() for name, _ in context]
    refuse(names == sorted(set(names)) and len(names) <= 32, "the context is not in order")
    refuse(sum(len(text.encode()) for pair in context for text in pair) <= 8192, "the context is too long")
    key_id, recipient = take("key-id", must=False), take("recipient", must=False)
    refuse(key_id is None or len(key_id) <= 2048, "the key-id is too long")
    refuse(recipient is None or RECIPIENT.fullmatch(recipient), "no recipient")
    text = take("wrapped" if recipient is None else "sealed")
    try:
        blob = base64.b64decode(text, validate=True)
    except ValueError:
        raise Refused("not Base64") from None
    refuse(1 <= len(blob) <= 8192 and base64.b64encode(blob).decode() == text, "not Base64 of 1 to 8192 bytes")
    digits = take("check")
    refuse(re.fullmatch("[0-9a-f]{64}", digits), "the check is not 64 digits")
    refuse(not lines, "a line too many")
    return Wrapped(kms, tuple(context), key_id, recipient, blob, digits)


def vectors():
    """(name, verdict, key, file): `good`, `check` where the check value is wrong, `refused` where it is no file."""
    key = bytes(range(100, 132))
    plain = wrap(key, "tpm:", [], None, None, b"blob").file()
    context = [("app", "backup of é"), ("a", "1=2&3")]
    full = wrap(key, "pkcs11:token=ops;object=restore", context, "version 7", None, bytes(range(48))).file()
    long = wrap(key, "secret-service:account=ops", [(f"{i:02}", "v" * 254) for i in range(32)], "k" * 2048, None, bytes(8192))
    yield "plain", "good", plain
    yield "full", "good", full
    yield "as long as it may be", "good", long.file()
    for uri in SERVICES:
        yield uri, "good", wrap(key, uri, [("a", "b")], None, None, b"blob").file()
    yield "from an editor", "good", "\ufeff# mine\n\n" + full.replace("\n", " \r\n")
    for name, old, new in [
        ("another URI", "token=ops", "token=opt"),
        ("another value", "app=backup", "app=restore"),
        ("a pair left out", "context: a=1%3D2%263\n", ""),
        ("another key-id", "version 7", "version 8"),
        ("no key-id", "key-id: version 7\n", ""),
        ("another blob", "wrapped: AAEC", "wrapped: AAED"),
        ("another check", full[-10:], full[-10:].translate(str.maketrans("0123456789abcdef", "123456789abcdef0"))),
    ]:
        yield name, "check", full.replace(old, new)
    for name, old, new in [
        ("another version", "wrapped-key-1", "wrapped-key-2"),
        ("no first line", f"{MAGIC}\n", ""),
        ("no URI", "kms: pkcs11:token=ops;object=restore\n", ""),
        ("a URI of another kind", "pkcs11:token=ops", "file:///etc"),
        ("a module", "object=restore", "object=restore?module-path=/x.so"),
        ("a PIN", "object=restore", "object=restore?pin-source=/etc/passwd"),
        ("no blank", "key-id: version", "key-id:version"),
        ("a pair twice", "context: a=1%3D2%263\n", "context: a=1%3D2%263\n" * 2),
        ("a digit in lower case", "%3D", "%3d"),
        ("what need not be encoded", "app=b", "app=%62"),
        ("not UTF-8", "%C3%A9", "%C3"),
        ("an empty value", "a=1%3D2%263", "a="),
        ("not ASCII", "version 7", "v\u00e9rsion"),
        ("not Base64", "wrapped: AAEC", "wrapped: A?EC"),
        ("no wrapped key", "wrapped: ", "packed: "),
        ("a check in upper case", full[-65:-1], full[-65:-1].upper()),
        ("a short check", full[-2:], "\n"),
        ("a line too many", full[-2:], full[-2:] + "more: 1\n"),
        ("a recipient that is none", "wrapped: ", "recipient: age1tag1x\nsealed: "),
    ]:
        yield name, "refused", full.replace(old, new)
    yield "no end of the last line", "good", full[:-1]
    yield "CR and no LF at the end", "refused", full[:-1] + "\r"
    yield "CR alone", "refused", full.replace("\n", "\r")
    yield "CR within", "refused", full.replace("\nkms", "\rkms")
    yield "CR twice", "refused", full.replace("\n", "\r\r\n")
    yield "pairs not in order", "refused", re.sub("(context: a=.*\n)(context: app=.*\n)", r"\2\1", full)
    yield "too long", "refused", "#" * 65536 + "\n" + plain
    yield "empty", "refused", ""


def main():
    files = [{"name": name, "verdict": verdict, "file": file} for name, verdict, file in vectors()]
    VECTORS.parent.mkdir(exist_ok=True)
    document = {"key": bytes(range(100, 132)).hex(), "files": files}
    VECTORS.write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
