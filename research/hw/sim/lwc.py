# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The input and output of tb_omd_lwc, from research/reference/omd.py: pdi.txt, sdi.txt and do.txt in GMU's form
(cryptotvgen).

    scripts/python research/hw/sim/lwc.py DIRECTORY [HASH]

writes files for another bench of the LWC hardware API, with nothing that cryptotvgen could not have written. With LWC_TB=PATH, the
folder `hardware` of GMU's LWC package, its bench plays them to omd_lwc in GHDL.
"""

import os
import random
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "research" / "reference"), str(ROOT / "research" / "hw" / "syn")]

import omd  # noqa: E402

ENCRYPT, DECRYPT, LOAD_KEY, ACTIVATE_KEY, HASH, SUCCESS, FAILURE = 2, 3, 4, 7, 8, 14, 15
AD, PLAINTEXT, CIPHERTEXT, HASH_MESSAGE, TAG, KEY, NONCE = 1, 4, 5, 7, 8, 12, 13
KEY_BYTES, BEATS, SEGMENTS = 32, 12, 64                   # of omd_lwc in the bench
SPOILT = ("tag", "nonce", "ad", "text", "last")
# Last too soon, and the number of the strings until then; no Last where it must be, but behind.
LAST_EARLY = {"nonce with Last": 1, "associated data with Last": 2, "no tag": 3, "text with Last, without EOT": 3}
LAST_LATE = ("text without Last", "tag without Last")
# EOT and Last of a key, to be refused.
KEYS = {"short key": (1, 1), "key of another type": (1, 1), "key without EOT": (0, 1), "key without Last": (1, 0),
        "key in two segments": (1, 1)}
MALFORMED = ("hash", "nonce", "order", "type", "tag", "odd", "end", "many", "late", *LAST_EARLY, *LAST_LATE, *KEYS)


def header(kind, eot, last, length, eoi=0):
    """eoi: the last segment that is not empty, tags apart, or the nonce."""
    return kind << 28 | bool(eoi) << 26 | bool(eot) << 25 | bool(last) << 24 | length


def lines(head, data):
    """At most eight words to a line."""
    padded = data + bytes(-len(data) % 4)
    return [f"{head} = {padded[i:i + 32].hex().upper()}" for i in range(0, len(padded), 32)]


class Script:
    """most: bytes of a segment, a multiple of 4; cuts: segments end anywhere before that, at multiples of 4."""

    def __init__(self, hash, seed, most=65532, cuts=False, nonces=None):
        self.random = random.Random(f"lwc {hash} {seed}")
        self.omd = omd.algorithm("omd-" + hash)
        self.n = self.omd.n
        self.tag_bytes = self.n // 2
        self.most, self.cuts = most, cuts
        self.nonces = nonces or (1, 12, self.n - 1)       # their lengths
        self.files = {"pdi": [], "sdi": [], "do": []}
        self.keys = self.messages = 0
        self.key = None

    def add(self, file, head, word):
        self.files[file].append(f"{head} = {word:08X}")

    def segments(self, file, kind, data, last=0, eoi=0):
        """All of a type; do.txt's have the same lengths."""
        pieces, rest = [], data
        while len(rest) > self.most or (self.cuts and len(rest) > 4 and self.random.randrange(3)):
            length = 4 * self.random.randrange(1, min(self.most, len(rest) - 1) // 4 + 1) if self.cuts else self.most
            pieces.append(rest[:length])
            rest = rest[length:]
        pieces.append(rest)
        self.write(file, kind, pieces, last, eoi)
        return pieces

    def write(self, file, kind, pieces, last=0, eoi=0, eot=1):
        for i, piece in enumerate(pieces):
            final = i == len(pieces) - 1
            self.add(file, "HDR", header(kind, final and eot, final and last, len(piece), final and eoi))
            self.files[file] += lines("DAT", piece)

    def new_key(self, spoil=""):
        """One of KEYS is refused. Of the one in two segments, the second looks like an instruction and a key."""
        self.keys += 1
        self.key = self.random.randbytes(KEY_BYTES)
        self.files["sdi"].append(f"# Key {self.keys}{', refused: ' * bool(spoil)}{spoil}")
        self.add("sdi", "INS", LOAD_KEY << 28)
        pieces = [self.key[4:] if spoil == "short key" else self.key]
        if spoil == "key in two segments":
            words = LOAD_KEY << 28, header(KEY, 1, 1, KEY_BYTES)
            pieces.append(b"".join(word.to_bytes(4, "big") for word in words) + self.key[8:])
        eot, last = KEYS.get(spoil, (1, 1))
        self.write("sdi", TAG if spoil == "key of another type" else KEY, pieces, last, 1, eot)
        self.add("pdi", "INS", ACTIVATE_KEY << 28)
        if spoil:
            self.key = None

    def begin(self, code, text):
        self.messages += 1
        self.files["pdi"].append(f"# Message {self.messages}: {text}")
        self.files["do"] += [f"# Message {self.messages}: {text}",
                             f"# TB :{code:X}{self.keys % 256:02X}{self.messages % 256:02X}"]
        self.add("pdi", "INS", code << 28)

    def status(self, code):
        self.add("do", "STT", code << 28)

    def inputs(self, a, m):
        return tuple(self.random.randbytes(x) for x in (self.random.choice(self.nonces), a, m))

    def seal(self, a, m):
        N, A, M = self.inputs(a, m)
        C, T = self.omd.Encrypt(M, A, self.key, N, 8 * self.tag_bytes)
        self.begin(ENCRYPT, f"seals {m} bytes with {a}")
        self.write("pdi", NONCE, [N], 0, not A and not M)
        self.segments("pdi", AD, A, 0, A and not M)
        pieces = self.segments("pdi", PLAINTEXT, M, 1, M)
        self.write("do", CIPHERTEXT, [C[sum(map(len, pieces[:i])):][:len(x)] for i, x in enumerate(pieces)])
        self.write("do", TAG, [T], 1)
        self.status(SUCCESS)

    def open(self, a, m, spoil=""):
        """A spoilt part has a bit that is not as it was; too much for the buffer is refused, too."""
        N, A, M = self.inputs(a, m)
        C, T = self.omd.Encrypt(M, A, self.key, N, 8 * self.tag_bytes)

        def flipped(x, place=0):
            x = bytearray(x)
            x[place] ^= 1 << self.random.randrange(8)
            return bytes(x)

        if spoil == "tag":
            T = flipped(T)
        elif spoil == "last":
            T = flipped(T, -1)
        elif spoil == "nonce":
            N = flipped(N)
        elif spoil == "ad":
            A = flipped(A, self.random.randrange(a))
        elif spoil == "text":
            C = flipped(C, self.random.randrange(m))
        self.begin(DECRYPT, f"opens {m} bytes with {a}{', altered: ' * bool(spoil)}{spoil}")
        self.write("pdi", NONCE, [N], 0, not A and not M)
        self.segments("pdi", AD, A, 0, A and not M)
        pieces = self.segments("pdi", CIPHERTEXT, C, 0, M)
        self.write("pdi", TAG, [T], 1)
        if spoil or -(-m // self.n) > BEATS:
            self.status(FAILURE)
        else:
            self.write("do", PLAINTEXT, [M[sum(map(len, pieces[:i])):][:len(x)] for i, x in enumerate(pieces)], 1)
            self.status(SUCCESS)

    def malformed(self, kind):
        """Is refused, and takes the key with it."""
        early = "text with Last, without EOT"
        N, A, M = self.inputs(20, 28 if kind == early else 30)
        opens = kind in ("type", "tag", "many", "no tag", "tag without Last")
        if opens:                                         # but for its form it is right
            M, T = self.omd.Encrypt(M, A, self.key, N, 8 * self.tag_bytes)
        self.begin(HASH if kind == "hash" else DECRYPT if opens else ENCRYPT, f"malformed: {kind}")
        text = CIPHERTEXT if opens else PLAINTEXT
        strings = [(NONCE, [N.ljust(self.n, b"n") if kind == "nonce" else N]),
                   (AD, {"odd": [A[:5], A[5:]], "end": [A[:8], b""]}.get(kind, [A])),
                   (PLAINTEXT if kind == "type" else text, {"late": [M[:4], b""], "many": [M[:4]] * (SEGMENTS + 1)}.get(kind, [M]))]
        if opens:
            strings.append((TAG, [T[4:] if kind == "tag" else T]))
        if kind == "hash":
            strings = [(HASH_MESSAGE, [M])]
        elif kind == "order":
            strings.insert(1, (text, [M]))
        elif kind == "late":
            self.files["do"].append("ANY = ")
        elif kind in LAST_LATE:
            strings.append((TAG, [b""]))
        strings = strings[:LAST_EARLY.get(kind)]
        for i, (name, pieces) in enumerate(strings):
            last = i == len(strings) - 1
            self.write("pdi", name, pieces, last, eot=not (last and kind == early))
        self.status(FAILURE)
        self.key = None

    def save(self, path):
        path.mkdir(parents=True, exist_ok=True)
        for name, text in self.files.items():
            (path / f"{name}.txt").write_text("".join(line + "\n" for line in [*text, "###EOF"]))


def plain(hash, seed, lengths, **how):
    """Messages of these (text, associated data) lengths, each way by turns, with a new key for every fourth."""
    script = Script(hash, seed, **how)
    for i, (m, a) in enumerate(lengths):
        if i % 4 == 0:
            script.new_key()
        script.seal(a, m)
        script.open(a, m)
    return script


def spoilt(hash, seed, **how):
    """The wrong among the right: nothing of it is shown, and what follows is as ever."""
    script = plain(hash, seed, [(0, 0), (script_n(hash), 5)], **how)
    for spoil in SPOILT:
        script.open(40, 3 * script.n - 1, spoil)
        script.open(3, 70)
    script.open(0, script.n * BEATS)
    script.open(0, script.n * BEATS + 1)                  # one block too many
    script.seal(0, script.n * BEATS + 1)
    return script


def script_n(hash):
    return omd.HASHES["omd-" + hash].n


def misused(hash, seed):
    """Malformed messages, each followed by one without a key and by a right one."""
    script = Script(hash, seed)
    script.malformed("no key")
    for kind in MALFORMED:
        script.new_key(kind if kind in KEYS else "")
        script.malformed(kind)
        script.malformed("no key")
        script.new_key()
        script.open(33, 41)
        script.seal(1, 66)
    return script


def configurations(long):
    """(name, hash, script, stall, cycles until a reset, after which all begins anew) for the bench."""
    for hash in ("sha256", "sha512", "blake2b"):
        n = script_n(hash)
        edges = [(m, a) for m in (0, 1, 4, n - 1, n, n + 1, 3 * n + 5) for a in (0, 3, 2 * n, 4 * n + 1)]
        if long:
            yield f"{hash}.edges", hash, lambda h=hash, e=edges: plain(h, 1, e), 0, 7
        if long or hash == "blake2b":
            yield f"{hash}.segments", hash, lambda h=hash, e=edges: plain(h, 2, e if long else e[1::4], cuts=True), 30, 12
            yield f"{hash}.spoilt", hash, lambda h=hash: spoilt(h, 3, most=32), 20, 200
        if long or hash == "sha256":
            yield f"{hash}.malformed", hash, lambda h=hash: misused(h, 4), 20, 40


def play_with_gmu(bench, directory, hash):
    """GMU's own bench (1.2), whose core is a component LWC, and whose package wants LWC_config. Not run so far."""
    from translate import sources
    build = directory / "ghdl"
    build.mkdir(exist_ok=True)
    (build / "config.vhd").write_text("""package LWC_config is
  constant W, SW : positive := 32;
  constant PDI_SHARES, SDI_SHARES : positive := 1;
  constant RW : natural := 0;
  constant ASYNC_RSTN : boolean := false;
end package;
""")
    (build / "lwc.vhd").write_text(f"""library ieee;
use ieee.std_logic_1164.all;
entity LWC is
  port (
    clk, rst : in std_logic;
    pdi_data, sdi_data : in std_logic_vector(31 downto 0);
    pdi_valid, sdi_valid, do_ready : in std_logic;
    pdi_ready, sdi_ready, do_valid, do_last : out std_logic;
    do_data : out std_logic_vector(31 downto 0));
end entity;
architecture omd of LWC is
begin
  core : entity work.omd_lwc
    generic map (G_HASH => "{hash}", G_BYTES => {script_n(hash)}, G_TAG_BYTES => {script_n(hash) // 2}, G_BEATS => {BEATS})
    port map (
      clk => clk, rst => rst, pdi_data => pdi_data, pdi_valid => pdi_valid, pdi_ready => pdi_ready, sdi_data => sdi_data,
      sdi_valid => sdi_valid, sdi_ready => sdi_ready, do_data => do_data, do_valid => do_valid, do_last => do_last,
      do_ready => do_ready);
end architecture;
""")
    options = ["--std=08", "-frelaxed", f"--workdir={build}"]
    subprocess.run(["ghdl", "-a", *options, build / "config.vhd", bench / "LWC_rtl/NIST_LWAPI_pkg.vhd", *sources("omd_lwc"),
                    build / "lwc.vhd", bench / "LWC_tb/LWC_TB.vhd"], check=True)
    files = [f"-gG_FNAME_{name.upper()}={directory / name}.txt" for name in ("pdi", "sdi", "do")]
    subprocess.run(["ghdl", "--elab-run", *options, "LWC_TB", *files], check=True, cwd=build)


def main(directory, hash="blake2b"):
    directory = Path(directory).resolve()
    n = script_n(hash)
    plain(hash, 5, [(m, a) for m in (0, 1, 3, n, 2 * n + 7) for a in (0, 2, 2 * n + 1)], most=n, nonces=(12,)).save(directory)
    if os.environ.get("LWC_TB"):
        play_with_gmu(Path(os.environ["LWC_TB"]).resolve(), directory, hash)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
