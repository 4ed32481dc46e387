"""The known answers of `polyseal::selftest`, computed by the reference.

`scripts/python research/reference/selftest.py` prints the rows of crates/polyseal/src/selftest/answers.rs.
Inputs, in bytes: key[i] = i, nonce[i] = 128 + i mod 256, AD[i] = 3·i mod 256 for i < 40, message[i] = i mod 251
for i < 1543: longer than three updates of the widest algorithm, with a partial last one.
An answer is the last 16 bytes of the ciphertext (nothing for a MAC), then the tag; of Flex and OCH, whose nonce may be hidden
in front of the ciphertext, all but the first 1527 bytes.
"""

import aegis
import flex
import gcm
import gcm_siv
import och
import omd
import xaes

AD = bytes(3 * i % 256 for i in range(40))
MESSAGE = bytes(i % 251 for i in range(1543))


def answer(id, cipher, nonce_bytes, tag_bytes):
    key = bytes(range(cipher.KEY))
    nonce = bytes((128 + i) % 256 for i in range(nonce_bytes))
    if id.endswith("-mac"):
        return cipher.Mac(MESSAGE, key, nonce, 8 * tag_bytes)
    ciphertext, tag = cipher.Encrypt(MESSAGE, AD, key, nonce, 8 * tag_bytes)
    return ciphertext[-16:] + tag


class OfFlex:
    """Flex in a configuration, as `answer` wants it."""

    def __init__(self, cfg8, key_bytes):
        self.alg, self.KEY = flex.Algorithm(cfg8), key_bytes

    def Encrypt(self, M, AD, K, N, t):
        C, _ = self.alg.Encrypt(M, AD, K, N)
        return C[:len(M)], C[len(M):]


class OfOch:
    """OCH, as `answer` wants it."""

    KEY = och.B

    def __init__(self, id):
        self.alg = och.algorithm(id)

    def Encrypt(self, M, AD, K, N, t):
        C = b"".join(self.alg.Encrypt(M, AD, K, N))
        return C[:len(M)], C[len(M):]


def name(id, **choices):
    """The textual form: only what is not the default."""
    return id + ":" * bool(choices) + ",".join(f"{choice}={value}" for choice, value in choices.items())


def of_aegis():
    for id in [*aegis.IETF, *(f"{id}-mac" for id in aegis.IETF)]:
        cipher = aegis.algorithm(id)
        for tag in ({}, {"tag": 32}):
            yield name(id, **tag), (id, cipher, cipher.KEY, tag.get("tag", 16))
    for id in aegis.V1:
        for degree in (1, 2, 3, 4, 8, 16):
            cipher = aegis.algorithm(id, {"degree": degree})
            for tag in ({}, {"tag": 32}):
                chosen = ({} if degree == 2 else {"degree": degree}) | tag
                yield name(id, **chosen), (id, cipher, cipher.KEY, tag.get("tag", 16))


def of_gcm():
    sizes = {
        "aes-128-gcm": [{"nonce": 8}, {"nonce": 16}, {"tag": 12}],
        "aes-256-gcm": [{"nonce": n} for n in (1, 8, 16, 17, 512)] + [{"tag": t} for t in (12, 13, 14, 15)],
    }
    for id in gcm.NAMES:
        cipher = gcm.algorithm(id)
        for chosen in [{}] + sizes.get(id, []):
            nonce, tag = chosen.get("nonce", cipher.NONCE), chosen.get("tag", cipher.TAG)
            yield name(id, **chosen), (id, cipher, nonce, tag)


def of_gcm_siv():
    yield "aes-256-gcm-siv", ("aes-256-gcm-siv", gcm_siv.Siv(), 12, 16)


def of_xaes():
    choices = {
        "kc-xaes-256-gcm": [{"nonce": b} for b in (20, 21, 22, 23)],
        "dndk-gcm": [{"version": 1}, {"version": 1, "kc": 1}, {"kc": 1},
                     {"nonce": 12}, {"nonce": 15}, {"nonce": 27},
                     {"kc": 1, "nonce": 12}, {"kc": 1, "nonce": 20}, {"kc": 1, "nonce": 27}],
        "f-com-dndk-gcm": [{"version": 1}],
    }
    for id in xaes.NONCES:
        for chosen in [{}] + choices.get(id, []):
            params = {"version": 2, "kc": 0} | chosen
            cipher = xaes.algorithm(id, params, chosen.get("nonce"))
            yield name(id, **chosen), (id, cipher, cipher.NONCE, cipher.TAG)


def of_flex():
    def instance(cfg8, nonce=None, key=32):
        NL = flex.Algorithm(cfg8).cfg.NL
        NL = 24 if NL == flex.VARIABLE else NL
        return "flex", OfFlex(cfg8, key), NL if nonce is None else nonce, 0
    names = {0x01: "flex-och", 0x02: "flex-och-public", 0x03: "flex-och-transport", 0x11: "flex-civ",
             0x12: "flex-civ-public", 0x21: "flex-robust", 0x24: "flex-robust-ae",
             0x31: "flex-och-stream", 0x32: "flex-civ-stream"}
    for number, id in names.items():
        yield id, instance(flex.REGISTRY[number])
    for id, number, key in (("flex-och-public", 0x02, 16), ("flex-robust", 0x21, 64)):
        yield name(id, key=key), instance(flex.REGISTRY[number], key=key)
    for id, number in (("flex-civ-public", 0x12), ("flex-robust", 0x21), ("flex-robust-ae", 0x24)):
        for nonce in (0, 1024):
            yield name(id, nonce=nonce), instance(flex.REGISTRY[number], nonce)
    for number in names:
        cfg8 = flex.REGISTRY[number]
        yield name("flex", **{} if number == 1 else {"cfg": cfg8.hex()}), instance(cfg8)
    for profile in flex.PROFILES.values():
        t, NL = profile.t, min(24, profile.B - 1)
        for cfg8 in (bytes([flex.OCH, flex.NH, profile.id, t, NL, 0, 0, 0]),
                     bytes([flex.CIV, 0, profile.id, t, NL, 0, 0, 0]),
                     bytes([flex.ROBUST, flex.NH | flex.CMT, profile.id, 5, NL, 0, 0, 0]),
                     bytes([flex.ROBUST_AE, flex.NH, profile.id, t, NL, 0, 0, 0])):
            allowed = {"allow-64-bit": 1} if t == 16 else {}
            yield name("flex", **allowed, cfg=cfg8.hex()), instance(cfg8)


def of_och():
    for id in och.NAMES:
        yield id, (id, OfOch(id), och.B, 0)


def of_omd():
    def instance(id, sizes, params):
        cipher = omd.algorithm(id, params)
        cipher.KEY, nonce, tag = sizes
        return id, cipher, nonce, tag

    def sizes_but(default, sizes):
        return {what: n for what, n, d in zip(("key", "nonce", "tag"), sizes, default) if n != d}
    for id, named in omd.NAMED.items():
        default, n = named[-1], omd.HASHES[id].n
        for sizes in [default, *named[:-1], (1, 0, 4), (n, n - 1, n - 1)]:
            yield name(id, **sizes_but(default, sizes)), instance(id, sizes, {})
        for params in {"rule": omd.REFERENCE}, {"version": 1}:
            yield name(id, **params), instance(id, default, params)


def rows():
    instances = [*of_aegis(), *of_gcm(), *of_gcm_siv(), *of_xaes(), *of_flex(), *of_och(), *of_omd()]
    return [(text, answer(*instance).hex()) for text, instance in instances]


if __name__ == "__main__":
    for text, hex in rows():
        print(f'    ("{text}", "{hex}"),')
