"""Writes vectors/omd-link/packets.json: `scripts/python research/reference/omd_link_vectors.py`."""

import json
import random
from pathlib import Path

import omd_link

PATH = Path(__file__).resolve().parents[2] / "vectors" / "omd-link" / "packets.json"
LENGTHS = (14, 15, 34, 60, 64, 65, 127, 128, 129, 512, 1500)


def packets(suite):
    r = random.Random(f"omd-link {suite.number}")
    n = omd_link.omd.algorithm(suite.family).n
    MK = r.randbytes(n)
    id_A, id_B = (omd_link.identifier(r.randbytes(16), r.randrange(2**64)) for _ in range(2))
    addresses = [r.randbytes(6), r.randbytes(6)]
    sides = omd_link.session(suite, MK, id_A, id_B, destination=addresses[0], source=addresses[1])
    keys = sides[0].keys
    tests = []
    for role, side in enumerate(sides):
        for length in LENGTHS:
            frame = r.randbytes(length)
            counter = side.counter
            packet = side.seal(frame)
            tests.append({"direction": role, "counter": counter, "frame": frame.hex(), "packet": packet.hex()})
    return {
        "suite": suite.number, "algorithm": suite.registry, "masterKey": MK.hex(), "idA": id_A.hex(), "idB": id_B.hex(),
        "destination": addresses[0].hex(), "source": addresses[1].hex(), "session": keys.session.hex(),
        "confirmationA": keys.confirmation[omd_link.A].hex(), "confirmationB": keys.confirmation[omd_link.B].hex(),
        "keyAB": keys.key[omd_link.A].hex(), "keyBA": keys.key[omd_link.B].hex(), "associatedData": keys.AD.hex(),
        "packets": tests,
    }


def document():
    return json.dumps({
        "format": f"omd-link, version {omd_link.VERSION}", "source": "research/reference/omd_link_vectors.py",
        "suites": [packets(suite) for suite in omd_link.SUITES.values()],
    }, indent=1) + "\n"


if __name__ == "__main__":
    PATH.parent.mkdir(exist_ok=True)
    PATH.write_text(document())
