"""Whether every wipe of the stack reaches as deep as the computation that it is for.

frames.py [PROGRAM…]: reads the machine code of programs for x86-64: if none is named, of the tool as it is shipped and of
the test of wipes, which has what the tool does not use; it builds them. `polyseal::backend::wipe::wipe_stack` overwrites
so many bytes below the frame of the function that calls it. What that function has called before must not
have used more: its callees, theirs, and so on to the leaves, as the compiler has made them for each
instruction set. A program fails where one does.

What is followed: every path through a function, its calls and its tail calls, jump tables, and calls through
addresses that the code itself loads. The depth is what `push`, `sub rsp`, alignment, return addresses and the
red zone take. A callee that wipes what it has used leaves only its own frame behind. What is not followed is
refused (recursion, a frame of variable size, a call through a pointer) unless it is in one of the
lists below.
"""

import json
import re
import struct
import subprocess
import sys
from bisect import bisect
from itertools import zip_longest

WIPE = re.compile(r"^<?polyseal::backend::wipe::wipe_stack(::<.*>)?$")

# One call tree runs on one back end: what one has left behind is not there if another runs.
ENTRY = re.compile(r"polyseal::backend::(soft|ssse3|aesni|vaes256|vaes512)::entry\b")
BACKENDS = ("soft", "ssse3", "aesni", "vaes256", "vaes512")
ANY = "any"

# Functions that keep no data on the stack, or no secret: what the C library copies goes through registers, what
# it allocates it does not read, and nothing secret is formatted. The test of wipes clears the stack itself, and
# looks at it.
KEEPS_NOTHING = re.compile(
    r"^(mem(cpy|move|set|cmp)|bcmp|strlen|malloc|calloc|realloc|free|posix_memalign|__errno_location"
    r"|__rust_(alloc|dealloc|realloc|alloc_zeroed|no_alloc_shim_is_unstable.*)|__rdl_.*|__rg_.*"
    r"|_*rustc::__rust_.*|alloc::alloc::.*|alloc::fmt::.*|core::fmt::.*|__tls_get_addr"
    r"|zeroing::(clear_the_stack|is_on_the_stack))(@.*)?$"
)

# They do not return: nobody computes after them.
DIVERGES = re.compile(
    r"^(core::panicking::|core::option::(unwrap|expect)_failed|core::result::unwrap_failed"
    r"|core::slice::index::slice_|core::slice::.*len_mismatch_fail|core::str::slice_error_fail"
    r"|core::cell::panic_|alloc::raw_vec::handle_error|alloc::alloc::handle_alloc_error"
    r"|std::process::(abort|exit)|abort|_Unwind_Resume|__stack_chk_fail|std::panicking::begin_panic)"
)

DROPS = re.compile(r"^core::ptr::drop_in_place<")

# A wipe in a table of methods comes later than the methods, when a key is dropped: as much deeper may they
# have been called.
BETWEEN = 1024

# Calls through a pointer: in which functions, and which functions they may call.
INDIRECT = [
    (r"^polyseal::backend::soft::Block::bitsliced$", r"^polyseal::backend::soft::bitslice::"),
    # Not the library's but a benchmark's and a test's: what they call wipes for itself.
    (r"^<?(polyseal_bench|zeroing)::", None),
]

REGISTERS = {}
for wide, *narrow in (
    *((f"r{x}x", f"e{x}x", f"{x}x", f"{x}l", f"{x}h") for x in "abcd"),
    *((f"r{x}", f"e{x}", x, f"{x}l") for x in ("si", "di", "bp", "sp")),
    *((f"r{i}", f"r{i}d", f"r{i}w", f"r{i}b") for i in range(8, 16)),
):
    REGISTERS.update({name: wide for name in (wide, *narrow)})
CLOBBERED = ("rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11")
READS_ONLY = ("cmp", "test", "push", "bt", "ucomisd", "comisd", "ptest", "vptest", "prefetcht0")
IMPLICIT = {
    "mul": ("rax", "rdx"), "div": ("rax", "rdx"), "idiv": ("rax", "rdx"), "imul": ("rax", "rdx"),
    "cqo": ("rdx",), "cdq": ("rdx",), "cdqe": ("rax",), "cpuid": ("rax", "rbx", "rcx", "rdx"),
    "xgetbv": ("rax", "rdx"), "rep": ("rdi", "rsi", "rcx"), "cmpxchg": ("rax",), "rdtsc": ("rax", "rdx"),
    "lock": ("rax",), "xchg": CLOBBERED, "syscall": CLOBBERED,
}  # fmt: skip


class Refused(Exception):
    """Code that this program cannot follow."""


class Instruction:
    __slots__ = ("address", "mnemonic", "operands", "target", "name")

    def __init__(self, address, mnemonic, operands, target, name):
        self.address, self.mnemonic, self.operands = address, mnemonic, operands
        # An address that the text names, in a jump, a call or relative to the program counter.
        self.target, self.name = target, name


LINE = re.compile(r"^ *([0-9a-f]+):\t(\S+)(?: +(.*))?$")
HEADER = re.compile(r"^([0-9a-f]{8,}) <(.*)>:$", re.MULTILINE)
NAMED = re.compile(r"\tlea .*# ([0-9a-f]+) <")
DIRECT = re.compile(r"^([0-9a-f]+)(?: <(.*)>)?$")
MEMORY = re.compile(r"\[(rsp|rbp)(?:([+-])0x([0-9a-f]+))?\]")
BELOW = re.compile(r"\[rsp(?:\+\w+\*\d)?-0x([0-9a-f]+)\]")


def instruction(line):
    match = LINE.match(line)
    if not match:
        return None
    address, mnemonic, rest = int(match[1], 16), match[2], match[3] or ""
    target = name = None
    if mnemonic in ("bnd", "notrack", "addr32", "data16", "ds", "cs"):
        mnemonic, _, rest = rest.partition(" ")
        rest = rest.strip()
    rest, comment, said = rest.partition("        # ")
    rest = rest.strip()
    if comment:
        found = DIRECT.match(said.strip())
        if found:
            target, name = int(found[1], 16), found[2]
    elif mnemonic[0] == "j" or mnemonic == "call":
        found = DIRECT.match(rest)
        if found:
            target, name = int(found[1], 16), found[2]
            rest = ""
    operands = [part.strip() for part in re.split(r",(?![^\[]*\])", rest)] if rest else []
    return Instruction(address, mnemonic, operands, target, name)


def number(text):
    """An immediate operand, or None."""
    try:
        value = int(text, 16) if text.startswith(("0x", "-0x")) else None
    except ValueError:
        return None
    # objdump writes negative immediates of 64 bits in full.
    return value - (1 << 64) if value is not None and value >> 63 else value


class Function:
    def __init__(self, address, name, text, start, end):
        self.address, self.name = address, name
        self.text, self.start, self.end, self.parsed = text, start, end, None

    @property
    def code(self):
        if self.parsed is None:
            lines = self.text[self.start : self.end].splitlines()
            self.parsed = [i for i in map(instruction, lines) if i]
        return self.parsed

    def entry_of(self):
        found = ENTRY.search(self.name)
        return found[1] if found else None


class Program:
    """Functions by address; what the image's memory says of jump tables and of addresses."""

    def __init__(self, text, image=None):
        headers = list(HEADER.finditer(text))
        self.text, self.functions = text, {}
        for header, following in zip_longest(headers, headers[1:]):
            end = following.start() if following else len(text)
            function = Function(int(header[1], 16), header[2], text, header.end(), end)
            self.functions[function.address] = function
        # The image's data by address; what the loader writes, by where; which of that are tables of methods.
        self.sections, self.pointers, self.tables = [], {}, range(1 << 64)
        if image:
            self.read(image)
        self.summaries, self.under_way, self.refused = {}, [], {}
        self.sites, self.named = {}, None
        self.wipe_functions = {f.address for f in self.functions.values() if WIPE.match(f.name)}

    def summary(self, function):
        summary = self.summaries.get(function.address)
        if summary is None:
            if function in self.under_way:
                raise Refused(f"recursion: {function.name}")
            self.under_way.append(function)
            try:
                summary = self.summaries[function.address] = Analysis(self, function).run()
            except Refused as what:
                if not getattr(what, "where", None):
                    what.where = list(self.under_way)
                raise
            finally:
                self.under_way.pop()
        return summary

    def wiped(self, function, wipe, at, down, left):
        """Takes note of a wipe: down to where, and how deep what has been left behind."""
        if DROPS.match(wipe.name):
            # A key that the function owns: the uses of that key are a matter of `methods`.
            return
        deepest, chain = max(left.values(), key=lambda what: what[0], default=(0, ()))
        length = self.summary(wipe).length
        # With fewer bytes, it would reach less deep.
        self.sites[at] = Site(function, wipe, length, length - (down - deepest), chain)

    def callers(self, functions):
        """The functions that name one of these, directly or by a pointer that the loader fills in."""
        wanted = set(functions)
        wanted |= {where for where, what in self.pointers.items() if what in wanted}
        named = re.compile(r"\b(?:" + "|".join(f"{address:x}" for address in wanted) + r") <")
        ordered = sorted(self.functions.values(), key=lambda f: f.start)
        starts = [f.start for f in ordered]
        found = {bisect(starts, match.start()) - 1 for match in named.finditer(self.text)}
        return [ordered[n] for n in sorted(found) if n >= 0 and ordered[n].address not in functions]

    def check(self):
        """Reads every function that wipes, and what wipes for it."""
        waiting, seen = set(self.wipe_functions), set()
        for address in self.wipe_functions:
            if not self.summary(self.functions[address]).wiped:
                # Such as one of so few bytes that the compiler writes them without `memset`.
                self.refused[address] = what = Refused("a wipe without a call of memset")
                what.where = [self.functions[address]]
        while waiting:
            found = [f for f in self.callers(waiting) if f.address not in seen]
            waiting = set()
            for function in found:
                seen.add(function.address)
                try:
                    if self.summary(function).wiped and not DROPS.match(function.name):
                        waiting.add(function.address)
                except Refused as what:
                    self.refused[function.address] = what
        self.methods()

    def methods(self):
        """A wipe in a table of methods is for the others in it, which a caller calls before."""
        # A destructor wipes for the calls of its own function, or for no table's methods.
        wipes = [f for f in self.functions.values() if self.is_wipe(f) and not DROPS.match(f.name)]
        for wipe in wipes:
            slots = [where for where, what in self.pointers.items() if what == wipe.address]
            for slot in [slot for slot in slots if slot in self.tables]:
                others = [*self.along(slot, -8), *self.along(slot, 8)]
                for method in others:
                    if self.is_wipe(method):
                        continue
                    try:
                        left = self.summary(method).left
                    except Refused as what:
                        self.refused[method.address] = what
                        continue
                    deepest, chain = max(left.values(), key=lambda what: what[0])
                    summary = self.summary(wipe)
                    need = summary.length - (summary.wiped - deepest) + BETWEEN
                    chain = chain if chain[0] is method else (method, *chain)
                    self.sites[slot, method.address] = Site(method, wipe, summary.length, need, chain)

    def is_wipe(self, function):
        summary = self.summaries.get(function.address)
        return summary is not None and summary.wiped > 0

    def along(self, slot, step):
        """The functions that are pointed to from next to a slot."""
        slot += step
        while function := self.functions.get(self.pointers.get(slot)):
            # Where the next table begins.
            if DROPS.match(function.name):
                return
            yield function
            slot += step

    def read(self, image):
        data = open(image, "rb").read()
        if data[:6] != b"\x7fELF\x02\x01" or struct.unpack_from("<H", data, 18)[0] != 62:
            raise SystemExit(f"frames: {image} is no program for x86-64")
        start, = struct.unpack_from("<Q", data, 40)
        size, count, names = struct.unpack_from("<HHH", data, 58)
        names = struct.unpack_from("<Q", data, start + names * size + 24)[0]
        for i in range(count):
            name, kind, _, address, offset, length = struct.unpack_from("<IIQQQQ", data, start + i * size)
            name = data[names + name : data.index(b"\0", names + name)]
            if name == b".data.rel.ro":
                self.tables = range(address, address + length)
            if kind == 4:
                for at in range(offset, offset + length, 24):
                    where, how, addend = struct.unpack_from("<QQq", data, at)
                    if how & 0xFFFF_FFFF == 8:
                        self.pointers[where] = addend
            elif kind != 8 and address:
                self.sections.append((address, data[offset : offset + length]))

    def word(self, address):
        """The signed word of 32 bits at an address, or None."""
        for start, data in self.sections:
            if start <= address and address + 4 <= start + len(data):
                return struct.unpack_from("<i", data, address - start)[0]
        return None

    def table(self, address, function):
        """The addresses in the function to which a jump table leads."""
        if self.named is None:
            self.named = {int(match[1], 16) for match in NAMED.finditer(self.text)}
        inside = {i.address for i in function.code}
        targets, at = [], address
        # Up to what is no address in here, or to the next table.
        while (word := self.word(at)) is not None and address + word in inside:
            targets.append(address + word)
            at += 4
            if at in self.named:
                break
        if not targets:
            raise Refused("a jump table that cannot be read")
        return sorted(set(targets))


def worst_slack(depth, alignment):
    """The most that aligning takes; on entry, the stack pointer is 8 above a multiple of 16."""
    return max((entry - depth) % alignment for entry in range(8, max(alignment, 16), 16))


class State:
    """Before an instruction: how deep the stack pointer is below where it was on entry, what registers
    and slots are known to hold, and what callees have left behind, for each back end: how deep, and who."""

    def __init__(self, depth=0, known=None, left=None, wiped=0):
        self.depth, self.known, self.left = depth, known or {}, left or {}
        # Down to where everything has been wiped on the way here; 0 if it has not.
        self.wiped = wiped

    def copy(self):
        return State(self.depth, dict(self.known), dict(self.left), self.wiped)

    def join(self, other):
        """Takes in what may also be; says whether that was new."""
        if self.depth != other.depth:
            raise Refused(f"a stack pointer that is at {self.depth:#x} or at {other.depth:#x}")
        new = other.wiped < self.wiped
        self.wiped = min(self.wiped, other.wiped)
        for key, value in list(self.known.items()):
            also = other.known.get(key)
            if also == value:
                continue
            if also and value[0] == also[0] == "at":
                # One function or another.
                new |= not also[1] <= value[1]
                self.known[key] = ("at", value[1] | also[1])
            else:
                del self.known[key]
                new = True
        for key, what in other.left.items():
            if key not in self.left or self.left[key][0] < what[0]:
                self.left[key] = what
                new = True
        return new


class Summary:
    """The effect of a call of the function on the stack below its return address."""

    def __init__(self):
        # Its own frame; what is left behind when it returns, by back end.
        self.frame, self.left = 0, {}
        self.returns = False
        # Down to where it wipes, on every path, having called nothing else, and how many bytes; 0 if it
        # does not.
        self.wiped = self.length = 0


class Site:
    """A wipe: in which function, by which, how many bytes it has, how many it needs, and for whom."""

    def __init__(self, function, wipe, length, need, chain):
        self.function, self.wipe, self.length, self.need, self.chain = function, wipe, length, need, chain

    def where(self):
        backend = self.wipe.entry_of() or self.function.entry_of()
        for callee in self.chain:
            backend = backend or callee.entry_of()
        return self.function.name, backend or ANY


class Analysis:
    def __init__(self, program, function):
        self.program, self.function = program, function
        self.summary = Summary()
        # Whether it calls anything but wipes.
        self.others = False

    def run(self):
        code = self.function.code
        at = {i.address: n for n, i in enumerate(code)}
        states, waiting = {0: State()}, [0]
        while waiting:
            n = waiting.pop()
            state = states[n].copy()
            while True:
                following, ends = self.step(code, n, state, at.get)
                for m, what in following:
                    if m not in states:
                        states[m] = what
                        waiting.append(m)
                    elif states[m].join(what):
                        waiting.append(m)
                if ends:
                    break
                n += 1
                if n >= len(code):
                    raise Refused("code that runs out of the function")
                if n in states:
                    if states[n].join(state):
                        waiting.append(n)
                    break
        summary = self.summary
        if self.function.address not in self.program.wipe_functions:
            if self.others:
                summary.wiped = 0
            own = (summary.frame, (self.function,))
            summary.left = {k: v for k, v in summary.left.items() if v[0] > summary.frame}
            summary.left.setdefault(ANY, own)
            if backend := self.function.entry_of():
                summary.left = {backend: max(summary.left.values(), key=lambda v: v[0])}
        return summary

    def leaves(self, state):
        summary = self.summary
        summary.wiped = min(summary.wiped, state.wiped) if summary.returns else state.wiped
        summary.returns = True
        for key, what in state.left.items():
            if key not in self.summary.left or self.summary.left[key][0] < what[0]:
                self.summary.left[key] = what

    def call(self, state, target, name, pushed, at):
        """Takes in a call, with so many bytes pushed for its return address; says whether it returns."""
        program, base = self.program, state.depth + pushed
        self.summary.frame = max(self.summary.frame, base)
        function = program.functions.get(target)
        name = function.name if function else name
        if name and DIVERGES.match(name):
            return False
        if name and KEEPS_NOTHING.match(name):
            if self.function.address in program.wipe_functions and name.startswith("memset"):
                self.wipe(state)
            return True
        if function is None or name.endswith("@plt"):
            self.others = True
            raise Refused(f"a call of {name or 'what has no name'}, which is elsewhere")
        summary = program.summary(function)
        if summary.wiped:
            down = base + summary.wiped
            backend = function.entry_of() or self.function.entry_of()
            asked = {k: v for k, v in state.left.items() if backend is None or k in (ANY, backend)}
            program.wiped(self.function, function, at, down, asked)
            state.left = {} if backend else {k: v for k, v in state.left.items() if k not in asked}
            state.wiped = down
            self.summary.length = summary.length
            return True
        self.others = True
        if backend := function.entry_of():
            # Here it is this back end that runs.
            state.left = {k: v for k, v in state.left.items() if k in (ANY, backend)}
        for key, (depth, chain) in summary.left.items():
            if key not in state.left or state.left[key][0] < base + depth:
                who = (self.function, *chain) if chain[0] is function else (self.function, function, *chain)
                state.left[key] = (base + depth, who)
        return summary.returns

    def wipe(self, state):
        """Takes in the overwriting itself: `memset` of a part of this frame."""
        where, length = state.known.get("rdi"), state.known.get("rdx")
        byte = state.known.get("rsi")
        if not (where and where[0] == "stack" and length and length[0] == byte[0] == "number"):
            raise Refused("a wipe that cannot be followed")
        # Above it lie return addresses and the registers of the caller: at most this much.
        if where[1] - length[1] > 64 or byte[1]:
            raise Refused("a wipe that leaves out what is next to its caller")
        state.wiped = where[1]
        self.summary.length = length[1]

    def one_of(self, state, targets, pushed, at):
        """Takes in a call of one of these; says whether it returns."""
        before, after = state.copy(), None
        for target, name in sorted(targets, key=str):
            one = before.copy()
            if self.call(one, target, name, pushed, at):
                if after is None:
                    after = one
                else:
                    after.join(one)
        if after is not None:
            state.left, state.wiped = after.left, after.wiped
        return after is not None

    def indirect(self, state, pushed, at, what):
        for caller, callees in INDIRECT:
            if re.search(caller, self.function.name):
                if callees is None:
                    self.others = True
                    return True
                wanted = [f for f in self.program.functions.values() if re.search(callees, f.name)]
                if not wanted:
                    raise Refused(f"a call through a pointer to {callees}, which is not there")
                return self.one_of(state, [(f.address, f.name) for f in wanted], pushed, at)
        raise Refused(f"a call through a pointer, {what}, at {at:x}")

    def value(self, state, operand, i):
        """The known value of an operand: a number, an address or a place on the stack."""
        if operand in REGISTERS:
            register = REGISTERS[operand]
            return ("stack", state.depth) if register == "rsp" else state.known.get(register)
        if "PTR [rip" in operand and i.target is not None:
            if i.target in self.program.pointers:
                return ("at", frozenset([(self.program.pointers[i.target], None)]))
            return ("at", frozenset([(None, i.name)])) if i.name else None
        if place := self.place(state, operand):
            return state.known.get(place)
        value = number(operand)
        return None if value is None else ("number", value)

    def place(self, state, operand):
        """The place on the stack that an operand in memory names."""
        match = MEMORY.search(operand)
        if not match:
            return None
        base = state.depth if match[1] == "rsp" else None
        if match[1] == "rbp":
            known = state.known.get("rbp")
            base = known[1] if known and known[0] == "stack" else None
        if base is None:
            return None
        offset = int(match[3], 16) if match[3] else 0
        return ("stack", base + offset if match[2] == "-" else base - offset)

    def move(self, state, depth):
        state.depth = depth
        self.summary.frame = max(self.summary.frame, depth)

    def step(self, code, n, state, at):
        """One instruction: changes the state; where else it may lead; and whether it does not go on."""
        i = code[n]
        mnemonic, operands = i.mnemonic, i.operands
        first = operands[0] if operands else ""
        if below := BELOW.search(" ".join(operands)):
            if mnemonic != "lea":
                # The red zone.
                self.summary.frame = max(self.summary.frame, state.depth + int(below[1], 16))

        if mnemonic == "ret":
            self.leaves(state)
            return [], True
        if mnemonic in ("ud2", "hlt", "int3"):
            return [], True
        if mnemonic == "call":
            if i.target is not None and not operands:
                returns = self.call(state, i.target, i.name, 8, i.address)
            else:
                what = self.value(state, first, i)
                if what and what[0] == "at":
                    returns = self.one_of(state, what[1], 8, i.address)
                else:
                    returns = self.indirect(state, 8, i.address, first)
            for register in CLOBBERED:
                state.known.pop(register, None)
            return [], not returns
        if mnemonic == "jmp":
            if i.target is not None and not operands:
                m = at(i.target)
                if m is not None:
                    return [(m, state.copy())], True
                targets = [(i.target, i.name)]
            else:
                what = self.value(state, first, i)
                if what and what[0] == "table":
                    targets = self.program.table(what[1], self.function)
                    return [(at(target), state.copy()) for target in targets], True
                if not what or what[0] != "at":
                    if self.indirect(state, 0, i.address, first):
                        self.leaves(state)
                    return [], True
                targets = what[1]
            if self.one_of(state, targets, 0, i.address):
                self.leaves(state)
            return [], True
        if mnemonic[0] == "j":
            m = at(i.target)
            before = code[n - 1]
            if before.mnemonic == "cmp" and before.operands[:1] == ["rsp"] and i.target < i.address:
                # The loop of a stack probe: it ends where the stack pointer is what it is compared with.
                what = self.value(state, before.operands[1], before)
                if not what or what[0] != "stack":
                    raise Refused("a loop that moves the stack pointer")
                self.move(state, what[1])
                return [], False
            if m is None:
                tail = state.copy()
                if self.call(tail, i.target, i.name, 0, i.address):
                    self.leaves(tail)
                return [], False
            return [(m, state.copy())], False

        if mnemonic == "push":
            self.move(state, state.depth + 8)
            value = self.value(state, first, i)
            state.known.pop(("stack", state.depth), None)
            if value:
                state.known[("stack", state.depth)] = value
            return [], False
        if mnemonic == "pop":
            value = state.known.get(("stack", state.depth))
            self.move(state, state.depth - 8)
            self.write(state, first, value)
            return [], False
        if mnemonic == "leave":
            value = state.known.get("rbp")
            if not value or value[0] != "stack":
                raise Refused("a frame that cannot be followed")
            self.move(state, value[1] - 8)
            state.known.pop("rbp")
            return [], False
        if first == "rsp":
            self.stack_pointer(state, i)
            return [], False

        if mnemonic in READS_ONLY or not operands:
            pass
        elif mnemonic in ("mov", "movabs") and len(operands) == 2:
            self.write(state, first, self.value(state, operands[1], i))
        elif mnemonic == "lea" and i.target is not None:
            self.write(state, first, ("address", i.target))
        elif mnemonic == "lea":
            self.write(state, first, self.place(state, operands[1]))
        elif mnemonic == "movsxd" and (found := re.search(r"\[(\w+)\+\w+\*4(?:\+0x0)?\]", operands[1])):
            what = state.known.get(REGISTERS[found[1]])
            known = ("table", what[1]) if what and what[0] == "address" else None
            self.write(state, first, known)
        elif mnemonic == "add" and operands[1] in REGISTERS and first in REGISTERS:
            a, b = (state.known.get(REGISTERS[x]) for x in operands)
            tables = [x for x in (a, b) if x and x[0] == "table"]
            self.write(state, first, tables[0] if tables else None)
        elif mnemonic in ("add", "sub") and first in REGISTERS:
            what, amount = state.known.get(REGISTERS[first]), number(operands[1])
            if what and what[0] == "stack" and amount is not None:
                depth = what[1] + (amount if mnemonic == "sub" else -amount)
                self.write(state, first, ("stack", depth))
            else:
                self.write(state, first, None)
        elif mnemonic == "xor" and operands[0] == operands[1]:
            self.write(state, first, ("number", 0))
        else:
            self.write(state, first, None)
            if mnemonic == "xchg" and operands[1] in REGISTERS:
                self.write(state, operands[1], None)
        if mnemonic != "imul" or len(operands) == 1:
            for register in IMPLICIT.get(mnemonic, ()):
                state.known.pop(register, None)
        return [], False

    def write(self, state, operand, value):
        if operand in REGISTERS:
            where = REGISTERS[operand]
        else:
            where = self.place(state, operand)
        if where is None:
            return
        state.known.pop(where, None)
        if value:
            state.known[where] = value

    def stack_pointer(self, state, i):
        amount = number(i.operands[1]) if len(i.operands) > 1 else None
        if i.mnemonic in ("cmp", "test"):
            return
        if i.mnemonic == "sub" and amount is not None:
            return self.move(state, state.depth + amount)
        if i.mnemonic == "add" and amount is not None:
            return self.move(state, state.depth - amount)
        if i.mnemonic == "and" and amount is not None and amount < 0:
            return self.move(state, state.depth + worst_slack(state.depth, -amount))
        if i.mnemonic == "lea" and (place := self.place(state, i.operands[1])):
            return self.move(state, place[1])
        if i.mnemonic == "mov":
            value = self.value(state, i.operands[1], i)
            if value and value[0] == "stack":
                return self.move(state, value[1])
        raise Refused(f"a frame that cannot be followed: {i.mnemonic} {', '.join(i.operands)}")


def disassembly(path):
    command = ["objdump", "-d", "-C", "--no-show-raw-insn", "--wide", "-M", "intel", path]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def report(program, say=print):
    """Says what each wipe needs; returns what is wrong."""
    wrong = []
    for address, what in program.refused.items():
        way = " > ".join(f.name for f in what.where)
        wrong.append(f"REFUSED: {what}\n    in {way}")
    most = {}
    for site in program.sites.values():
        key = (site.length, *site.where())
        if site.chain and (key not in most or most[key].need < site.need):
            most[key] = site
    for (length, name, backend), site in sorted(most.items(), key=lambda item: item[0]):
        short = site.need > length
        say(f"{site.need:6} of {length:6} bytes: {name} on {backend}{', TOO SHORT' if short else ''}")
        if short:
            frames = [(program.summaries.get(f.address, Summary()).frame, f.name) for f in site.chain]
            way = "".join(f"\n    {size:6} {callee}" for size, callee in frames)
            wrong.append(
                f"TOO SHORT: {length} bytes are wiped, {site.need} are needed, in {name} on {backend}; frames:{way}"
            )
    for site in program.sites.values():
        # The function to be called has been inlined, and lies above the wiped stack. A function that only wipes has no
        # frame.
        own = program.summaries.get(site.function.address, Summary()).frame
        if not site.chain and own > 64 and site.function.entry_of():
            wrong.append(f"WIPES NOTHING: {site.length} bytes below {site.function.name}, which has called nothing")
    if not program.wipe_functions or not most:
        wrong.append("no wipe was found")
    for backend in BACKENDS:
        if not any(where == backend for _, _, where in most):
            wrong.append(f"no wipe was found on {backend}")
    return wrong


def built(*command):
    """The program that cargo builds."""
    said = subprocess.run(["cargo", *command, "--locked", "--release", "--message-format=json-render-diagnostics"],
                          check=True, stdout=subprocess.PIPE, text=True).stdout
    return next(filter(None, (json.loads(line).get("executable") for line in said.splitlines())))


def shipped():
    return [built("build", "--package=polyseal-cli"), built("test", "--package=polyseal", "--test=zeroing", "--no-run")]


def main(paths):
    status = 0
    for path in paths or shipped():
        program = Program(disassembly(path), path)
        program.check()
        wrong = report(program)
        print(*wrong, sep="\n")
        status |= bool(wrong)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
