"""The vectors of XAES-256-GCM, KC-XAES-256-GCM and AEGIS-X as Wycheproof has them.

    scripts/python contrib/wycheproof/wycheproof.py FOLDER

writes FOLDER/testvectors_v1/*.json, each checked against Wycheproof's schema. The tests are those of ../../vectors,
under Wycheproof's kind of names; what is added are nonces of lengths that do not exist.

The schemas are Wycheproof's (C2SP/wycheproof, commit dac1dd4729fd, Apache-2.0), unmodified.
"""

import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "research" / "reference"))

import aegis  # noqa: E402
import xaes  # noqa: E402
from aegis_vectors import shake  # noqa: E402

SCHEMA = "aead_test_schema_v1.json"

# Name here: name there, and lengths of nonces that it does not take.
ALGORITHMS = {
    "xaes-256-gcm": ("XAES-256-GCM", (0, 12, 16, 20, 23, 25, 32)),
    "kc-xaes-256-gcm": ("KC-XAES-256-GCM", (0, 12, 16, 19, 25, 32)),
    "aegis-128x2": ("AEGIS128X2", (0, 12, 15, 17, 32)),
    "aegis-128x4": ("AEGIS128X4", (0, 12, 15, 17, 32)),
    "aegis-256x2": ("AEGIS256X2", (0, 12, 16, 31, 33)),
    "aegis-256x4": ("AEGIS256X4", (0, 12, 16, 31, 33)),
}

HEADER = [
    "Test vectors of type AeadTest test authenticated encryption with additional data.",
    "The test vectors are intended for testing both encryption and decryption.",
    "Test vectors with \"result\" : \"valid\" are valid encryptions.",
    "Test vectors with \"result\" : \"invalid\" must be refused by decryption. Their msg must not be encrypted.",
]
COMMITMENT = "The tag is the 16 bytes of AES-GCM's, and then the 32 bytes that commit to the key."
INVALID_NONCE_SIZE = {
    "bugType": "MODIFIED_PARAMETER",
    "description": "The nonce has a length that the algorithm does not take. Cut, or filled up with zeros, it is the "
                   "nonce under which the message was sealed.",
}


def algorithm(name):
    return aegis.algorithm(name) if name.startswith("aegis") else xaes.algorithm(name)


def invalid_nonces(name, tag_bits):
    """A group for each length: the message is sealed under what a lenient implementation would make of the nonce."""
    alg = algorithm(name)
    right = alg.KEY if name.startswith("aegis") else alg.NONCE
    for length in ALGORITHMS[name][1]:
        at = name, tag_bits, length, "invalid nonce"
        key, iv, aad, msg = (shake(n, *at, what)
                             for n, what in ((alg.KEY, "key"), (length, "iv"), (13, "aad"), (29, "msg")))
        ct, tag = alg.Encrypt(msg, aad, key, iv[:right].ljust(right, b"\0"), tag_bits)
        values = {"key": key, "iv": iv, "aad": aad, "msg": msg, "ct": ct, "tag": tag}
        yield {"type": "AeadTest", "source": {"name": "contrib/wycheproof", "version": "1"},
               "keySize": 8 * alg.KEY, "ivSize": 8 * length, "tagSize": tag_bits,
               "tests": [{"comment": f"a nonce of {length} bytes", "flags": ["InvalidNonceSize"],
                          **{field: value.hex() for field, value in values.items()}, "result": "invalid"}]}


def convert(name):
    """The whole file, and the name that Wycheproof would give it."""
    ours = json.loads((ROOT / "vectors" / f"{name}.json").read_text())
    there, _ = ALGORITHMS[name]
    groups = ours["testGroups"]
    for tag_bits in sorted({group["tagSize"] for group in groups}):
        groups.extend(invalid_nonces(name, tag_bits))
    tests = [test for group in groups for test in group["tests"]]
    for number, test in enumerate(tests, 1):
        test["tcId"] = number
    for group in groups:
        # A source that is a place in this repository has a name that says so elsewhere.
        if group["source"]["name"].startswith(("reference/", "contrib/")):
            group["source"] = group["source"] | {"name": f"polyseal/{group['source']['name']}"}
        group["tests"] = [{"tcId": test["tcId"], **test} for test in group["tests"]]
    document = {
        "algorithm": there,
        "schema": SCHEMA,
        "numberOfTests": len(tests),
        "header": HEADER + ([COMMITMENT] if name.startswith("kc-") else []),
        "notes": dict(sorted((ours["notes"] | {"InvalidNonceSize": INVALID_NONCE_SIZE}).items())),
        "testGroups": groups,
    }
    return f"{there.lower().replace('-', '_')}_test.json", document


# ── The check ───────────────────────────────────────────────────────────────────────────────────

TYPES = {"object": dict, "array": list, "string": str, "integer": int}
# They say nothing about what is allowed. HexBytes is no format of JSON Schema's: `lint` checks it.
SILENT = {"$schema", "definitions", "description", "deprecated", "format"}


def validate(value, schema, file, at="$"):
    """Asserts that value is of the schema, in the part of JSON Schema that Wycheproof's files use: any other word is an
    error."""
    unknown = schema.keys() - SILENT - {"$ref", "type", "enum", "properties", "required", "additionalProperties",
                                        "items", "minLength"}
    assert not unknown, f"{file} has {unknown}, which this does not know"
    if "$ref" in schema:
        other, _, path = schema["$ref"].partition("#")
        file = other or file
        target = json.loads((HERE / "schemas" / file).read_text())
        for step in path.strip("/").split("/"):
            target = target[step]
        return validate(value, target, file, at)
    if "type" in schema:
        right = isinstance(value, TYPES[schema["type"]]) and not isinstance(value, bool)
        assert right, f"{at} is no {schema['type']}"
    assert value in schema.get("enum", [value]), f"{at} is none of {schema.get('enum')}"
    assert not isinstance(value, str) or len(value) >= schema.get("minLength", 0), f"{at} is too short"
    if isinstance(value, dict):
        missing = set(schema.get("required", ())) - value.keys()
        assert not missing, f"{at} lacks {missing}"
        properties, others = schema.get("properties", {}), schema.get("additionalProperties", True)
        for name, inner in value.items():
            assert name in properties or others is not False, f"{at} may not have {name}"
            inner_schema = properties.get(name, others)
            if isinstance(inner_schema, dict):
                validate(inner, inner_schema, file, f"{at}.{name}")
    if isinstance(value, list):
        for i, inner in enumerate(value):
            validate(inner, schema.get("items", {}), file, f"{at}[{i}]")


def lint(document):
    """Asserts what Wycheproof asks for: the schema, numbers that are right, flags that are explained, sizes."""
    file = document["schema"]
    validate(document, json.loads((HERE / "schemas" / file).read_text()), file)
    groups = document["testGroups"]
    tests = [test for group in groups for test in group["tests"]]
    assert [test["tcId"] for test in tests] == list(range(1, document["numberOfTests"] + 1))
    assert {group["type"] for group in groups} == {"AeadTest"}
    assert {flag for test in tests for flag in test["flags"]} == document["notes"].keys()
    for group in groups:
        for test in group["tests"]:
            sizes = [8 * len(bytes.fromhex(test[field])) for field in ("key", "iv", "tag")]
            assert sizes == [group[f"{field}Size"] for field in ("key", "iv", "tag")], test["tcId"]
            assert len(bytes.fromhex(test["ct"])) == len(bytes.fromhex(test["msg"])), test["tcId"]
            bytes.fromhex(test["aad"])


def main(folder):
    place = Path(folder) / "testvectors_v1"
    place.mkdir(parents=True, exist_ok=True)
    for name in ALGORITHMS:
        file, document = convert(name)
        lint(document)
        (place / file).write_text(json.dumps(document, indent=2) + "\n")
        print(f"{place / file}: {document['numberOfTests']} tests")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
