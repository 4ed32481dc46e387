"""The verdicts of the file format's reference on the inputs of two fuzz targets, in JSON.

    python3 research/reference/verdicts.py serve          answers on a pipe: kind (1) ‖ length (4) ‖ input, with a line
    python3 research/reference/verdicts.py write          writes research/fuzz/verdicts anew, for the inputs in research/fuzz/corpus
    python3 research/reference/verdicts.py seeds FOLDER   writes inputs made from the conformance kit, to begin from

Source: docs/spec/file-format.md, by way of polyseal_file.py. research/fuzz/checks/authentic_header.rs and
research/fuzz/checks/text.rs say the same of the program in Rust.

A mutation of a header is of no use if its MAC is wrong: all that is said then is that it is not authentic.
So `finish` makes headers of bytes, with stanzas and a MAC that are right for one file key.
"""

import hashlib
import json
import sys
from pathlib import Path

import file_format_kit
import polyseal_file as f
from kit import keys as kit_keys
from polyseal_file import Outcome, number

FUZZ = Path(__file__).parent.parent / "fuzz"

FILE_KEY, OTHER_FILE_KEY = bytes([1]) * 32, bytes([2]) * 32
KEY, OTHER_KEY = bytes([3]) * 32, bytes([4]) * 32
PASSPHRASE = b"passphrase"
CONTEXT = b"context"
MOST_MEMORY, MOST_PASSES = 64, 2                         # of Argon2id that is computed, in KiB


# ── Headers that are authentic ──────────────────────────────────────────────────────────────────

def finish(body):
    """The header that begins with `body`: the context's tag if its first byte is 1, zeros up to the MAC,
    stanzas sealed anew and a right MAC. If nothing says where the header ends, `body` is all."""
    if len(body) < f.STANZAS or number(body[16:24]) not in f.PAYLOAD_OFFSETS:
        return body
    end = number(body[16:24]) - 32
    header = bytearray(body[:end].ljust(end, b"\0"))
    if header[128] == 1:
        header[128:160] = f.context_tag(FILE_KEY, bytes(header[32:64]), CONTEXT)
    at = f.STANZAS
    for _ in range(number(header[10:12])):
        if at + 4 > end:
            break
        after = at + 4 + number(header[at + 2:at + 4])
        if after > end:
            break
        header[at:after] = seal(f.F(bytes(header)), bytes(header[at:after]))
        at = after
    return bytes(header) + f.header_mac(FILE_KEY, bytes(header[32:64]), bytes(header))


def seal(F, stanza):
    """The same stanza for the file key; or, as the first byte of its id says, under another key, for
    another file key, or left alone."""
    type_, how, salt, what = number(stanza[:2]), stanza[76:-32], stanza[4:36], stanza[36:37]
    if type_ not in (f.KEY_FILE, f.PASSPHRASE, f.AGE) or len(stanza) < 108 or what == b"\3":
        return stanza
    file_key = OTHER_FILE_KEY if what == b"\2" else FILE_KEY
    if what == b"\1":
        key = OTHER_KEY
    elif type_ == f.KEY_FILE:
        key = KEY
    elif type_ == f.AGE:
        key = kit_keys.FROM_AGE_KEY
    elif is_cheap(how):
        key = f.stretch(PASSPHRASE, salt, *f.argon2id_parameters(how))
    else:
        key = OTHER_KEY
    return f.make_stanza(F, type_, key, salt, how, file_key)


def is_cheap(how):
    if len(how) != 12:
        return False
    m, t, p = f.argon2id_parameters(how)
    return 1 <= p and 8 * p <= m <= MOST_MEMORY and 1 <= t <= MOST_PASSES


def identities(given, header):
    keys = [(1, f.KeyFile(KEY)), (2, f.AgeIdentity(kit_keys.AGE_1[0])), (4, f.AgeIdentity(kit_keys.AGE_HYBRID[0])),
            (16, f.KeyFile(bytes(32)))]
    costs = [s.how for s in header.stanzas if s.type == f.PASSPHRASE]
    if all(map(is_cheap, costs)):
        keys.append((8, f.Passphrase(PASSPHRASE)))
    return [key for bit, key in keys if given & bit]


def header_verdict(data):
    """The first byte says which keys there are, and whether there is a context; the header is the rest."""
    given, header = (data[0], finish(data[1:])) if data else (0, b"")
    verdict = {"sha256": hashlib.sha256(header).hexdigest(), "described": None}
    try:
        parsed = f.parse_header(header)
        verdict["described"] = describe(parsed)
        f.open_header(header, identities(given, parsed), CONTEXT if given & 32 else None)
        outcome = Outcome.OK
    except f.Refused as refused:
        outcome = refused.outcome
    return {**verdict, "outcome": outcome.value}


def describe(header):
    """As `polyseal inspect` does."""
    return {
        "format": "polyseal",
        "version": f.VERSION,
        "suite": header.suite,
        "segment_bytes": header.segment_size,
        "tag_bytes": f.SUITES[header.suite][2],
        "payload_offset": header.P,
        "file_salt": header.file_salt.hex(),
        "context": header.context_tag != bytes(32),
        "spare_bytes": header.P - 32 - f.STANZAS - sum(len(s.raw) for s in header.stanzas),
        "stanzas": [describe_stanza(s) for s in header.stanzas],
        "payload": None,
        "authenticated": False,
    }


def describe_stanza(stanza):
    if stanza.type in f.PASSED_OVER:
        return {"type": "unknown", "number": stanza.type}
    id = {"key_id": stanza.id.hex()}
    if stanza.type == f.KEY_FILE:
        return {"type": "key-file", **id}
    if stanza.type == f.PASSPHRASE:
        m, t, p = f.argon2id_parameters(stanza.how)
        return {"type": "passphrase", **id, "memory_kib": m, "passes": t, "lanes": p}
    labels = f.labels(stanza).decode()
    types = [arguments[0].decode() for arguments, _ in stanza.recipients]
    return {"type": "age", **id, "labels": labels.split(" ") if labels else [], "recipients": types}


# ── Texts ───────────────────────────────────────────────────────────────────────────────────────

def text_verdict(data):
    """As a key file, the key; as armour, what is in it."""
    def attempt(read, show):
        try:
            return show(read(data))
        except f.Refused:
            return None

    return {"key": attempt(f.parse_key_file, bytes.hex),
            "armor": attempt(f.unarmor, lambda found: hashlib.sha256(found).hexdigest())}


# ── To whom it is said ──────────────────────────────────────────────────────────────────────────

VERDICTS = {"authentic_header": header_verdict, "text": text_verdict}


def table(target):
    """Every input of the corpus by its name."""
    inputs = sorted((FUZZ / "corpus" / target).iterdir())
    return {path.name: VERDICTS[target](path.read_bytes()) for path in inputs}


def written(target):
    lines = (f"{json.dumps(name)}: {json.dumps(verdict)}" for name, verdict in table(target).items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def serve(source, sink):
    kinds = {target[:1].encode(): verdict for target, verdict in VERDICTS.items()}
    while kind := source.read(1):
        data = source.read(number(source.read(4)))
        sink.write(json.dumps(kinds[kind](data)).encode() + b"\n")
        sink.flush()


def seeds(folder):
    """The seeds from each file of the kit: its header up to the spare room, and for the authentic one every choice of
    keys; all of a text."""
    for path in sorted(file_format_kit.FOLDER.iterdir()):
        data = path.read_bytes()
        if not data.startswith(f.MAGIC):
            put(folder, "text", path.name, data)
            continue
        end = number(data[16:24]) - 32
        header = data[:end].rstrip(b"\0") if end <= 65536 else data[:160]
        put(folder, "header", path.name, header)
        put(folder, "authentic_header", path.name, bytes([0x1f]) + header)
        for given in (0, 1, 2, 4, 8, 0x3f) if "age" in path.name or "context" in path.name else ():
            context = bytes([1]) if given & 32 and len(header) > 160 else header[128:129]
            put(folder, "authentic_header", f"{path.name}-{given}",
                bytes([given]) + header[:128] + context + header[129:])


def put(folder, target, name, data):
    (folder / target).mkdir(parents=True, exist_ok=True)
    (folder / target / name).write_bytes(data)


def main():
    match sys.argv[1:]:
        case ["serve"]:
            serve(sys.stdin.buffer, sys.stdout.buffer)
        case ["write"]:
            (FUZZ / "verdicts").mkdir(exist_ok=True)
            for target in VERDICTS:
                (FUZZ / "verdicts" / f"{target}.json").write_text(written(target))
        case ["seeds", folder]:
            seeds(Path(folder))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
