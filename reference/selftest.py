"""The known answers of `polyseal::selftest`, computed by the reference.

`python3 reference/selftest.py` prints the rows of crates/polyseal/src/selftest/answers.rs.
Inputs, in bytes: key[i] = i, nonce[i] = 128 + i, AD[i] = 3·i mod 256 for i < 40, message[i] = i mod 251
for i < 1543: longer than three updates of the widest algorithm, with a partial last one.
An answer is the last 16 bytes of the ciphertext (nothing for a MAC), then the tag.
"""

import aegis

AD = bytes(3 * i % 256 for i in range(40))
MESSAGE = bytes(i % 251 for i in range(1543))


def answer(id, degree, tag_bytes):
    cipher = aegis.algorithm(id, {"degree": degree})
    key = bytes(range(cipher.KEY))
    nonce = bytes(128 + i for i in range(cipher.KEY))
    if id.endswith("-mac"):
        return cipher.Mac(MESSAGE, key, nonce, 8 * tag_bytes)
    ciphertext, tag = cipher.Encrypt(MESSAGE, AD, key, nonce, 8 * tag_bytes)
    return ciphertext[-16:] + tag


def instances():
    for id in [*aegis.IETF, *(f"{id}-mac" for id in aegis.IETF)]:
        for tag_bytes in (16, 32):
            yield id + ("" if tag_bytes == 16 else ":tag=32"), (id, None, tag_bytes)
    for id in aegis.V1:
        for degree in (1, 2, 3, 4, 8, 16):
            for tag_bytes in (16, 32):
                choices = [] if degree == 2 else [f"degree={degree}"]
                choices += [] if tag_bytes == 16 else ["tag=32"]
                yield id + ":" * bool(choices) + ",".join(choices), (id, degree, tag_bytes)


def rows():
    return [(name, answer(*instance).hex()) for name, instance in instances()]


if __name__ == "__main__":
    for name, hex in rows():
        print(f'    ("{name}", "{hex}"),')
