"""frames.py finds the wipes that fall short, and refuses what it cannot follow."""

import struct

import pytest

import frames

ENTRY = "polyseal::backend::{}::entry"
WIPE = "polyseal::backend::wipe::wipe_stack"


def wipe(length):
    """The compiler's code for `wipe_stack`, as objdump writes it; more than a page is probed."""
    probe = ["sub rsp,0x1000", "mov QWORD PTR [rsp],0x0"] * (length // 0x1000)
    return [
        "push rbx", *probe, f"sub rsp,{length % 0x1000 + 0x10:#x}", "lea rbx,[rsp+0x10]", f"mov edx,{length:#x}",
        "mov rdi,rbx", "xor esi,esi", "call QWORD PTR [rip+0x1234]        # 99990 <memset@GLIBC_2.2.5>",
        "mov QWORD PTR [rsp+0x8],rbx", f"add rsp,{length + 0x10:#x}", "pop rbx", "ret",
    ]  # fmt: skip


def frame(size, *calls):
    return [f"sub rsp,{size:#x}", *(f"call {name}" for name in calls), f"add rsp,{size:#x}", "ret"]


def program(functions, pointers=(), sections=()):
    """A program of functions by name: each instruction takes a byte; a jump's `+3` is the fourth. The first
    function is at 0x10000, the next at 0x20000."""
    places = {name: 0x10000 * n for n, name in enumerate(functions, 1)}
    text = []
    for name, code in functions.items():
        start = places[name]
        text.append(f"\n{start:016x} <{name}>:")
        for at, line in enumerate(code, start):
            mnemonic, _, operands = line.partition(" ")
            if mnemonic == "call" or mnemonic[0] == "j":
                if operands.startswith("+"):
                    operands = f"{start + int(operands[1:]):x} <{name}{operands}>"
                elif operands in places:
                    operands = f"{places[operands]:x} <{operands}>"
            text.append(f"  {at:x}:\t{mnemonic:<6} {operands}")
    read = frames.Program("\n".join(text) + "\n")
    read.pointers = {slot: places[name] for slot, name in pointers}
    read.sections = list(sections)
    read.check()
    return read


def verdicts(read):
    """The faults, but for back ends that are not there."""
    wrong = frames.report(read, say=lambda _: None)
    return [line for line in wrong if not line.startswith("no wipe was found on")]


VAES512 = ENTRY.format("vaes512")
SEAL = "polyseal::gcm::seal"


def test_aes_256_gcm_on_vaes512_as_it_was():
    """4,096 bytes were wiped where the computation took 5,120."""
    functions = {VAES512: frame(5120), SEAL: frame(0x20, VAES512, WIPE), WIPE: wipe(4096)}
    (wrong,) = verdicts(program(functions))
    assert wrong.startswith("TOO SHORT: 4096 bytes are wiped, 5112 are needed")
    assert SEAL in wrong and "vaes512" in wrong
    functions[WIPE] = wipe(5120)
    assert verdicts(program(functions)) == []


# Which wipe is the least that is enough.
@pytest.mark.parametrize(
    ("code", "need"),
    [
        (["push rbx", "push rbp", "sub rsp,0x400", "add rsp,0x400", "pop rbp", "pop rbx", "ret"], 1024 + 16),
        # The red zone.
        (["mov QWORD PTR [rsp-0x80],rax", "ret"], 128),
        # Aligned to 64 bytes: on entry, the stack pointer is 8 above a multiple of 16.
        (["push rbp", "mov rbp,rsp", "and rsp,0xffffffffffffffc0", "sub rsp,0x400", "mov rsp,rbp", "pop rbp",
          "ret"], 1024 + 8 + 48),
        # A probe in a loop, and a frame that is given back by a base.
        (["push rbp", "mov rbp,rsp", "lea r11,[rsp-0x8000]", "sub rsp,0x1000", "mov QWORD PTR [rsp],0x0",
          "cmp rsp,r11", "jne +3", "leave", "ret"], 0x8008),
        # One branch of two.
        (["test rdi,rdi", "je +5", "sub rsp,0x800", "add rsp,0x800", "ret", "sub rsp,0x900", "add rsp,0x900",
          "ret"], 0x900),
        (frame(0x100, "f"), 0x100 + 8 + 0x200),
        (["mov rax,QWORD PTR [rip+0x10]        # 99998 <table>", "sub rsp,0x100", "call rax", "add rsp,0x100",
          "ret"], 0x100 + 8 + 0x200),
        (["sub rsp,0x100", "add rsp,0x100", "jmp f"], 0x200),
        (["sub rsp,0x100", "call core::panicking::panic"], None),
    ],
)  # fmt: skip
def test_depth(code, need):
    functions = {"computation": code, "f": frame(0x200), SEAL: frame(0x20, "computation", WIPE), WIPE: wipe(256)}
    functions["core::panicking::panic"] = frame(0x10000)
    read = program(functions, [(0x99998, "f")])
    assert read.refused == {}
    # In the sum of a call's and a wipe's bytes, 16 are from the wipe's return address to the array.
    needs = [site.need for site in read.sites.values() if site.chain]
    assert needs == ([need + 8 - 16] if need is not None else [])


def test_one_function_or_another():
    code = ["test rdi,rdi", "je +4", "mov rbx,QWORD PTR [rip+0x10]        # 99998 <table>", "jmp +5",
            "mov rbx,QWORD PTR [rip+0x10]        # 999a0 <table>", "call rbx", "ret"]  # fmt: skip
    functions = {"f": frame(0x80), "g": frame(0x90), SEAL: frame(0x20, "either", WIPE), "either": code}
    functions[WIPE] = wipe(256)
    for g in (0x90, 0x900):
        functions["g"] = frame(g)
        for order in ("fg", "gf"):
            read = program(functions, zip((0x99998, 0x999A0), order))
            assert len(verdicts(read)) == (g == 0x900) and read.refused == {}


def test_a_jump_table():
    code = ["lea rcx,[rip+0x10]        # 88000 <table>", "movsxd rax,DWORD PTR [rcx+rdi*4]", "add rax,rcx", "jmp rax",
            "call shallow", "ret", "call deep", "ret", "call deep", "lea rdx,[rip+0x10]        # 88008 <next>",
            "ret"]  # fmt: skip
    functions = {"computation": code, "shallow": frame(0x80), "deep": frame(0x800)}
    functions |= {SEAL: frame(0x20, "computation", WIPE), WIPE: wipe(256)}

    def table(*targets):
        words = [0x10000 + target - 0x88000 for target in targets]
        return [(0x88000, struct.pack(f"<{len(words)}i", *words))]

    # The third word is of the next table.
    assert verdicts(program(functions, sections=table(4, 4, 6))) == []
    assert "TOO SHORT" in verdicts(program(functions, sections=table(4, 6, 4)))[0]
    assert "a jump table that cannot be read" in verdicts(program(functions))[0]


def test_only_what_comes_before_counts():
    code = ["sub rsp,0x20", "test rdi,rdi", "je +6", f"call {WIPE}", "call deep", "jmp +8", "call shallow",
            f"call {WIPE}", "add rsp,0x20", "ret"]  # fmt: skip
    functions = {"deep": frame(0x4000), "shallow": frame(0x80), SEAL: code, WIPE: wipe(256)}
    assert verdicts(program(functions)) == []
    code[6] = "call deep"
    assert "TOO SHORT" in verdicts(program(functions))[0]


def test_what_a_callee_has_wiped_is_gone():
    functions = {
        "deep": frame(0x4000), "inner": frame(0x80, "deep", "large"), "large": [f"jmp {WIPE}<2>"],
        SEAL: frame(0x20, "inner", WIPE), WIPE: wipe(256), f"{WIPE}<2>": wipe(0x4000),
    }  # fmt: skip
    functions["polyseal::backend::wipe::wipe_stack::<2>"] = functions.pop(f"{WIPE}<2>")
    functions["large"] = ["jmp polyseal::backend::wipe::wipe_stack::<2>"]
    assert verdicts(program(functions)) == []


def test_a_back_end_has_its_own_wipe():
    aesni = ENTRY.format("aesni")
    code = ["sub rsp,0x20", "test rdi,rdi", "je +5", f"call {VAES512}", "jmp +6", f"call {aesni}", "test rdi,rdi",
            "je +10", "call wide", "jmp +11", "call narrow", "add rsp,0x20", "ret"]  # fmt: skip
    functions = {
        VAES512: frame(0x80), aesni: frame(0x1800), SEAL: code,
        WIPE: wipe(0x100), "polyseal::backend::wipe::wipe_stack::<2>": wipe(0x2000),
    }  # fmt: skip
    wide, narrow = f"{VAES512}::<1>", f"{aesni}::<1>"
    functions[wide], functions[narrow] = [f"jmp {WIPE}"], ["jmp polyseal::backend::wipe::wipe_stack::<2>"]
    code[8], code[10] = f"call {wide}", f"call {narrow}"
    assert verdicts(program(functions)) == []
    code[8], code[10] = f"call {narrow}", f"call {wide}"
    functions[wide], functions[narrow] = functions[narrow], functions[wide]
    assert "on aesni" in verdicts(program(functions))[0]


def test_a_table_of_methods():
    functions = {"open": frame(0x200), "wipe_stack": [f"jmp {WIPE}"], WIPE: wipe(0x800), "other": frame(0x9000)}
    table = [(0x50018, "open"), (0x50020, "wipe_stack"), (0x50030, "other")]
    assert verdicts(program(functions, table)) == []
    functions["open"] = frame(0x900)
    assert "in open" in verdicts(program(functions, table))[0]


@pytest.mark.parametrize(
    ("code", "why"),
    [
        (["sub rsp,0x20", "call computation", "add rsp,0x20", "ret"], "recursion"),
        (["sub rsp,rax", "ret"], "a frame that cannot be followed"),
        (["call rdi", "ret"], "a call through a pointer"),
        (["jmp rdi"], "a call through a pointer"),
        (["call QWORD PTR [rax+0x18]", "ret"], "a call through a pointer"),
        (["call QWORD PTR [rip+0x10]        # 99990 <qsort@GLIBC_2.2.5>", "ret"], "a call of qsort"),
        (["je +3", "push rax", "jmp +3", "ret"], "a stack pointer that is at"),
    ],
)
def test_refused(code, why):
    functions = {"computation": code, SEAL: frame(0x20, "computation", WIPE), WIPE: wipe(256)}
    (wrong, *_) = verdicts(program(functions))
    assert wrong.startswith(f"REFUSED: {why}")


def test_a_wipe_that_is_not_seen_to_wipe():
    inlined = ["xorps xmm0,xmm0", "movaps XMMWORD PTR [rsp-0x10],xmm0", "ret"]
    read = program({WIPE: inlined, SEAL: frame(0x100, WIPE)})
    [wrong, nothing] = verdicts(read)
    assert wrong.startswith("REFUSED: a wipe without a call of memset") and nothing == "no wipe was found"


def test_nothing_to_see_is_wrong():
    assert verdicts(program({SEAL: frame(0x20)})) == ["no wipe was found"]
    # A wipe that has been inlined would not be seen; one of which nothing is left wipes nothing.
    with pytest.raises(frames.Refused):
        program({SEAL: frame(0x20, WIPE), WIPE: ["sub rsp,0x1000", "lea rdi,[rsp+0x500]", "mov edx,0x100",
                 "xor esi,esi", "call QWORD PTR [rip+0x1234]        # 99990 <memset@GLIBC_2.2.5>", "ret"]})
    assert "no wipe was found on vaes512" in frames.report(program({SEAL: frame(0x20)}), say=lambda _: None)


def test_a_wipe_in_a_back_end_has_something_to_wipe():
    apart = "polyseal::backend::Isa::call"
    called = {VAES512: frame(0x40, apart, WIPE), apart: frame(0x80), WIPE: wipe(0x200)}
    assert not verdicts(program(called))
    inlined = {VAES512: frame(0xB00, WIPE), WIPE: wipe(0x200)}
    assert any(line.startswith("WIPES NOTHING: 512 bytes") for line in verdicts(program(inlined)))
