"""Writes vectors/experimental/: what the paper on AEGIS describes and does not choose, by the reference.

    scripts/python research/reference/experimental_vectors.py

These algorithms are in no registry and no file: they are here to be compared. Inputs come from SHAKE-256 over the
algorithm and the case, so that two runs write the same bytes. There are no vectors of anybody else's.
"""

import json
from pathlib import Path

import aegis
from aegis_vectors import dumps, flip, shake

HERE = Path(__file__).resolve().parents[2] / "vectors" / "experimental"
LENGTHS = [(0, 0), (1, 0), (0, 1), (16, 31), (33, 32), (17, 64), (5, 129), (130, 257)]


def cases():
    """(name, params, algorithm, bytes of nonce, bits of tag)"""
    for name, variant in aegis.EXPERIMENTAL.items():
        for nu in (1, 2, 4):
            for tag_bits in (128, 256):
                yield name, {"degree": nu}, variant(nu), variant.KEY, tag_bits


def algorithm(name, params):
    return aegis.EXPERIMENTAL[name](params["degree"])


def inputs(name, params, alg, nonce, *case):
    key, iv = shake(alg.KEY, name, params, *case, "key"), shake(nonce, name, params, *case, "iv")
    return key, iv[:-1] + b"\0" if isinstance(alg, aegis.ShortIv) else iv


def group(name, params, alg, nonce, tag_bits):
    tests = []
    for aad_len, msg_len in LENGTHS:
        case = tag_bits, aad_len, msg_len
        key, iv = inputs(name, params, alg, nonce, *case)
        aad, msg = shake(aad_len, name, params, *case, "aad"), shake(msg_len, name, params, *case, "msg")
        ct, tag = alg.Encrypt(msg, aad, key, iv, tag_bits)
        valid = {"key": key, "iv": iv, "aad": aad, "msg": msg, "ct": ct, "tag": tag}
        tests.append((f"{aad_len} bytes of aad, {msg_len} of msg", "EdgeCaseLength", valid, "valid"))
    for part in ("ct", "aad", "tag"):
        for bit in (0, -1):
            tests.append((f"{'last' if bit else 'first'} bit of {part} flipped", f"Modified{part.title()}",
                          valid | {part: flip(valid[part], bit)}, "invalid"))
    return {"name": name} | ({"params": params} if params else {}) | {"tagSize": tag_bits, "tests": [
        {"comment": comment, "flags": [flag], **{f: v.hex() for f, v in values.items()}, "result": result}
        for comment, flag, values, result in tests]}


def files():
    groups = {}
    for name, *rest in cases():
        groups.setdefault(name, []).append(group(name, *rest))
    return {name: dumps({"algorithm": name, "source": "research/reference/experimental_vectors.py",
                         "numberOfTests": sum(len(g["tests"]) for g in made), "testGroups": made})
            for name, made in groups.items()}


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    for name, text in files().items():
        (HERE / f"{name}.json").write_text(text)
