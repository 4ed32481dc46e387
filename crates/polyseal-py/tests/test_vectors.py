"""The vectors of every language, most of them made by others, through Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polyseal
import pytest
from conftest import VECTORS, load
from polyseal.hazmat import WideBlock

#: Algorithms to compare with the papers, which Python does not have; and OMD's older rules.
PAPERS = {
    "aegis-128x-v1",
    "aegis-256x-v1",
    "f-com-dndk-gcm",
    "f-com-h-aes-256-gcm",
    "f-com-hkdf-aes-256-gcm",
    "kc-c3-xaes-256-gcm",
    "och-areion-p",
    "och-areion-s",
    "padding-fix-xaes-256-gcm",
}
OLD_RULES = ({"rule": "reference"}, {"version": 1})
NAMES = {"AEGIS128L": "aegis-128l", "AEGIS256": "aegis-256", "AES-GCM": "aes-{keySize}-gcm"}
FILES = sorted(path for path in VECTORS.glob("*.json") if path.stem != "wycheproof-aes-cmac")


def field(test: dict[str, Any], name: str) -> bytes:
    return bytes.fromhex(test[name])


def algorithm(file: dict[str, Any], group: dict[str, Any]) -> Any:
    """The class that a group of tests is about. Choices that are the default are not written out."""
    name = NAMES.get(file["algorithm"], file["algorithm"]).format(**group)
    params = {k: int(v) if isinstance(v, bool) else v for k, v in group.get("params", {}).items()}
    sizes = {"key": group["keySize"] // 8, "nonce": group["ivSize"] // 8, "tag": group["tagSize"] // 8}
    choices = ",".join(f"{name}={value}" for name, value in {**params, **sizes}.items())
    return polyseal.algorithm_class(f"{name}:{choices}")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_vector(path: Path) -> None:
    file = load(path)
    if file["algorithm"] in PAPERS:
        assert file["algorithm"] not in polyseal.ALGORITHMS
        # A wheel that is shipped is built without them.
        with pytest.raises(ValueError, match="unknown algorithm|the feature `papers` brings it"):
            polyseal.algorithm_class(file["algorithm"])
        return
    count = 0
    for group in file["testGroups"]:
        if file["algorithm"] == "flex":
            count += sum(check_flex(group["params"], test) for test in group["tests"])
            continue
        try:
            found = algorithm(file, group)
        except ValueError:
            # AES-192, lengths that do not exist, and rules that are forgeable.
            missing = group["keySize"] == 192 or group.get("params") in OLD_RULES
            assert missing or all(test["result"] == "invalid" for test in group["tests"])
            continue
        for test in group["tests"]:
            (check_mac if group["type"] == "MacTest" else check_aead)(found, test)
            count += 1
    assert count > 0


def check_aead(found: type[polyseal.Aead], test: dict[str, Any]) -> None:
    key, nonce, ad = (field(test, name) for name in ("key", "iv", "aad"))
    message, sealed = field(test, "msg"), field(test, "ct") + field(test, "tag")
    cipher = found(key)
    if test["result"] == "valid":
        assert cipher.encrypt(nonce, message, ad) == sealed, test["tcId"]
        assert cipher.decrypt(nonce, bytearray(sealed), ad) == message, test["tcId"]
    else:
        with pytest.raises((polyseal.InvalidTag, ValueError)):
            cipher.decrypt(nonce, sealed, ad)


def check_mac(found: type[polyseal.Mac], test: dict[str, Any]) -> None:
    key, nonce, message, tag = (field(test, name) for name in ("key", "iv", "msg", "tag"))
    mac = found(key)
    if test["result"] == "valid":
        assert mac.sign(nonce, message) == tag, test["tcId"]
        mac.verify(nonce, message, tag)
    else:
        with pytest.raises((polyseal.InvalidTag, ValueError)):
            mac.verify(nonce, message, tag)


def check_flex(params: dict[str, str], test: dict[str, Any]) -> bool:
    """A configuration without commitment is a `WideBlock`; one of 64 bits is an AEAD only by leave."""
    key, nonce, ad = (field(test, name) for name in ("key", "iv", "aad"))
    message, sealed, setup = field(test, "msg"), field(test, "ct"), bytes.fromhex(params["setupAd"])
    try:
        flex = polyseal.Flex(key, bytes.fromhex(params["cfg"]), setup)
    except ValueError as error:
        if "commit" in str(error):
            check_wide_block(WideBlock(key, wide_block_name(params["cfg"]), setup), test)
            return True
        assert "64" in str(error), error
        return False
    given = b"" if flex.hides_nonce else nonce
    if test["result"] == "valid":
        assert flex.encrypt(nonce, message, ad) == sealed, test["tcId"]
        assert flex.decrypt(given, sealed, ad) == message, test["tcId"]
    else:
        with pytest.raises(polyseal.InvalidTag):
            flex.decrypt(given, sealed, ad)
    return True


def wide_block_name(cfg: str) -> str:
    """The name of the configuration, by which the tool and C know it too."""
    names = {
        "03000110ffff0000": "wide-block-robust-no-commitment",
        "03000100ffff0000": "wide-block-length-preserving-no-authenticity",
    }
    missing = "authenticity" if cfg[6:8] == "00" else "commitment"
    return names.get(cfg, f"wide-block-no-{missing}:cfg={cfg},allow-64-bit=1")


def check_wide_block(cipher: WideBlock, test: dict[str, Any]) -> None:
    nonce, ad, message, sealed = (field(test, name) for name in ("iv", "aad", "msg", "ct"))
    given = b"" if cipher.hides_nonce else nonce
    if test["result"] == "valid":
        assert cipher.encipher(nonce, message, ad) == sealed, test["tcId"]
        assert cipher.decipher(given, bytearray(sealed), ad) == message, test["tcId"]
        if cipher.hides_nonce:
            assert cipher.decipher_with_nonce(sealed, ad) == (nonce, message), test["tcId"]
    else:
        with pytest.raises(polyseal.InvalidTag):
            cipher.decipher(given, sealed, ad)
