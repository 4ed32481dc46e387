# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The input and output of the testbenches, from research/reference/omd.py and vectors/omd-*.json.

A packet is (opens, N, A, X, T, Y, good): X goes in, Y comes out, and T either comes out or goes in. A session is one
key, its packets for each lane, and after how many of the core's beats, and how many cycles then, it is broken off; 0 and 0:
it is not. Files are tb_omd's: lines of one beat each, data as hexadecimal with the first byte last, as AXI4-Stream has it.
"""

import itertools
import json
import random
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "research" / "reference"))

import omd  # noqa: E402


def beat(X, width):
    """tdata and tkeep of up to width bytes."""
    return X.ljust(width, b"\0")[::-1].hex(), f"{(1 << len(X)) - 1:0{width // 4}x}"


def beats(X, width):
    return [X[i:i + width] for i in range(0, len(X), width)] or [b""]


class Sessions:
    def __init__(self, name, tag_bytes, keeps=False):
        """keeps: a session's packets all have the associated data of the first, which is played once."""
        self.keeps = keeps
        self.omd = omd.algorithm("omd-" + name)
        self.n, self.tag_bytes = self.omd.n, tag_bytes
        self.sessions = []
        self.hashes = {}

    def add(self, K, lanes, broken=(0, 0)):
        self.sessions.append((K, lanes, broken))

    def packet(self, K, N, A, M, opens, spoil=""):
        """A packet, spoilt or not, as the reference says."""
        C, T = self.omd.Encrypt(M, A, K, N, 8 * self.tag_bytes)
        if not opens:
            return (False, N, A, M, T, C, True)
        if spoil == "tag":
            place = len(N + A + M) % len(T)
            T = T[:place] + bytes([T[place] ^ 1]) + T[place + 1:]
        elif spoil == "last":
            T = T[:-1] + bytes([T[-1] ^ 1])
        elif spoil == "shorter":
            T = T[:-1]
        elif spoil == "none":
            T = b""
        elif spoil == "longer" and self.tag_bytes < self.n:
            T += b"\0"
        elif spoil == "first":
            T = bytes([T[0] ^ 0x80]) + T[1:]
        elif spoil == "ct" and C:
            C = C[:-1] + bytes([C[-1] ^ 4])
        keyed = omd.Keyed(self.omd, K, 8 * self.tag_bytes)
        M, Tag_e = keyed.cipher(C, N, decrypt=True)
        good = omd.xor(Tag_e, keyed.hash(A))[:self.tag_bytes] == T
        assert good == (not spoil or spoil == "ct" and not C or spoil == "longer" and self.tag_bytes == self.n)
        return (True, N, A, C, T, M, good)

    def write(self, path, buffer_beats=None):
        path.mkdir(parents=True, exist_ok=True)
        n = self.n
        lanes = len(self.sessions[0][1])
        longest = max(len(Y) for _, packets_of, _ in self.sessions for packets in packets_of for *_, Y, _ in packets)
        assert buffer_beats is None or longest > n * buffer_beats, "no packet that does not fit"
        files = {f"{kind}{lane}": [] for kind in ("ad", "s", "m", "given") for lane in range(lanes)}
        files |= {"key": [], "sessions": []}

        garbage = random.Random(n)

        def put(file, session, X, width, last, user):
            data, keep = beat(X, width)
            if not file.startswith("m"):                  # what tkeep does not mark may be anything
                data = garbage.randbytes(width - len(X)).hex() + data[2 * (width - len(X)):]
            files[file].append(f"{session} {data} {keep} {int(last)} {user}")

        for number, (K, packets_of, broken) in enumerate(self.sessions):
            files["sessions"].append("{} {}".format(*broken))
            padded = K.ljust(n, b"\0")
            for i in range(0, n, n // 8):
                files["key"].append(f"{number} {padded[i:i + n // 8][::-1].hex()} 0 0 0")
            keyed = omd.Keyed(self.omd, K, 8 * self.tag_bytes)
            for lane, packets in enumerate(packets_of):
                for place, (opens, N, A, X, T, Y, good) in enumerate(packets):
                    As = [] if self.keeps and place else beats(A, 2 * n)
                    for i, Ai in enumerate(As):
                        put(f"ad{lane}", number, Ai, 2 * n, i == len(As) - 1, 0)
                    # As omd_core has strings: the first byte highest.
                    files[f"given{lane}"].append(f"{number} {keyed.Ls.hex()} {self.hash(keyed, A).hex()}")
                    put(f"s{lane}", number, N, n, True, int(opens))
                    Xs, Ys = beats(X, n), beats(Y, n)
                    for i, Xi in enumerate(Xs):
                        put(f"s{lane}", number, Xi, n, i == len(Xs) - 1, 0)
                    if opens:
                        put(f"s{lane}", number, T, n, True, 0)
                    fits = buffer_beats is None or len(Ys) <= buffer_beats
                    if buffer_beats is None or good and fits:
                        for Yi in Ys:
                            put(f"m{lane}", number, Yi, n, False, 0)
                    if opens or not fits:
                        put(f"m{lane}", number, b"", n, True, 1 if good and fits else 3)
                    else:
                        put(f"m{lane}", number, T, n, True, 1)
        for name, lines in files.items():
            (path / f"{name}.txt").write_text("".join(line + "\n" for line in lines))

    def hash(self, keyed, A):
        key = keyed.K, A
        if key not in self.hashes:
            self.hashes[key] = keyed.hash(A)
        return self.hashes[key]


def from_vectors(name, tag_bytes, limit, longest=2000, opens=True):
    """Sessions of vectors/omd-<name>.json: those of the tag's length, valid ones both ways, others to be refused; without `opens`
    those that seal."""
    doc = json.loads((ROOT / "vectors" / f"omd-{name}.json").read_text())
    tests = [t for g in doc["testGroups"] for t in g["tests"]
             if g["tagSize"] == 8 * tag_bytes and not g.get("params") and len(t["msg"]) + len(t["aad"]) <= 2 * longest
             and len(t["iv"]) < 2 * omd.HASHES["omd-" + name].n]
    assert tests
    random.Random(name).shuffle(tests)
    tests = tests[:limit]
    s = Sessions(name, tag_bytes)
    by_key = {}
    for t in tests:
        by_key.setdefault(t["key"], []).append(t)
    for key, of_key in by_key.items():
        packets = []
        for t in of_key:
            K, N, A, M, C, T = (bytes.fromhex(t[f]) for f in ("key", "iv", "aad", "msg", "ct", "tag"))
            if t["result"] == "valid":
                packets.append((False, N, A, M, T, C, True))
                if opens:
                    packets.append((True, N, A, C, T, M, True))
            elif opens:
                keyed = omd.Keyed(s.omd, K, 8 * tag_bytes)
                packets.append((True, N, A, C, T, keyed.cipher(C, N, decrypt=True)[0], False))
        if packets:
            s.add(bytes.fromhex(key), [packets])
    return s


SPOILT = ("longer", "", "ct", "shorter", "", "first", "none", "", "tag", "last", "")


def drawn(name, tag_bytes, seed, lengths, lanes=1, breaks=0, opens=None, keeps=False):
    """A session with packets of these (message, associated data) lengths in each lane, after `breaks` broken ones.

    Two of three are broken off between the first and the last block out of a packet, the third anywhere.
    """
    r = random.Random(f"{name} {seed}")
    s = Sessions(name, tag_bytes, keeps)
    spoilt = itertools.cycle(SPOILT[seed - 1:] + SPOILT[:seed - 1])

    def packets(K, lengths):
        ways = r.sample([i % 2 == 0 for i in range(len(lengths))], len(lengths)) if opens is None else [opens] * len(lengths)
        of_all = r.randbytes(lengths[0][1])
        return [s.packet(K, r.randbytes(r.choice((0, 1, 12, s.n - 1))), of_all if keeps else r.randbytes(a),
                         r.randbytes(m), way, next(spoilt) if way else "")
                for (m, a), way in zip(lengths, ways)]

    for i in range(breaks):
        K = r.randbytes(s.n)
        blocks = r.randrange(3, 7)
        few = [(blocks * s.n, r.randrange(3 * s.n)), *((r.randrange(5 * s.n), r.randrange(3 * s.n)) for _ in range(3))]
        broken = (0, 20 + r.randrange(500)) if i % 3 == 2 else (r.randrange(1, blocks - 1), r.randrange(1, 13))
        s.add(K, [packets(K, few) for _ in range(lanes)], broken)
        s.add(K, [packets(K, few[1:2]) for _ in range(lanes)])
    K = r.randbytes(s.n)
    shuffled = [r.sample(lengths, len(lengths)) for _ in range(lanes)]
    s.add(K, [packets(K, x) for x in shuffled])
    return s


def edges(n):
    """Lengths of message and associated data at the edges of blocks."""
    return [(0, 0), (0, 1), (1, 0), (n - 1, 2 * n), (n, 2 * n - 1), (n + 1, 2 * n + 1), (2 * n, n), (2 * n + 1, n - 1),
            (3 * n - 1, n + 1), (4 * n, 4 * n), (5 * n, 6 * n + 3), (n + 3, 21 * n), (9 * n + 5, 0), (17 * n, 2 * n)]
