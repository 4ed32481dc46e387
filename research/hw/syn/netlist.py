# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A synthesised netlist as a C model, from yosys's JSON: `model(module)`.

The cells of UltraScale+ and ECP5 that our designs are mapped to: LUTs, carry chains, multiplexers of slices, flip-flops;
and yosys's own gates, of designs that are not mapped. Anything else is refused. The model has a byte for each net, one
statement for each cell in topological order, and one clock.
"""


GATES = {"$_NOT_": "!{A}", "$_AND_": "{A}&{B}", "$_OR_": "{A}|{B}", "$_XOR_": "{A}^{B}", "$_NAND_": "!({A}&{B})",
         "$_NOR_": "!({A}|{B})", "$_XNOR_": "!({A}^{B})", "$_ANDNOT_": "{A}&!{B}", "$_ORNOT_": "{A}|!{B}",
         "$_MUX_": "{S}?{B}:{A}"}


def model(module):
    """C, of unsigned char *n: void settle(n), clock(n), start(n) and mark(n), and int changed(n), the registers that are
    not as they were at the last mark."""
    flops, gates, clocks = [], [], set()                  # gates: outputs, inputs, statement
    for name, cell in module["cells"].items():
        kind, pins, value = cell["type"], cell["connections"], cell.get("parameters", {})

        def net(pin, i=0):
            bit = pins[pin][i] if pin in pins else "0"
            return str(int(bit == "1")) if isinstance(bit, str) else f"n[{bit}]"

        def lut(inputs, init):
            index = "|".join(f"{net(pin)}<<{i}" for i, pin in enumerate(inputs))
            return f"0x{int(init, 2):x}ull>>({index})&1"

        if kind in ("LUT1", "LUT2", "LUT3", "LUT4", "LUT5", "LUT6"):
            output, inputs = ("Z", list("ABCD")) if "Z" in pins else ("O", [f"I{i}" for i in range(int(kind[3]))])
            gates.append(([output], inputs, f"{net(output)}={lut(inputs, value['INIT'])};", pins))
        elif kind in GATES:
            inputs = [pin for pin in pins if pin != "Y"]
            gates.append((["Y"], inputs, f"{net('Y')}={GATES[kind].format(**{pin: net(pin) for pin in inputs})};", pins))
        elif kind == "$_DFF_P_":
            clocks.add(net("C"))
            flops.append((net("Q"), net("D"), "1", "0", 0, 0))
        elif kind == "INV":
            gates.append((["O"], ["I"], f"{net('O')}=!{net('I')};", pins))
        elif kind in ("MUXF7", "MUXF8", "MUXF9"):
            gates.append((["O"], ["I0", "I1", "S"], f"{net('O')}={net('S')}?{net('I1')}:{net('I0')};", pins))
        elif kind == "PFUMX":
            gates.append((["Z"], ["ALUT", "BLUT", "C0"], f"{net('Z')}={net('C0')}?{net('ALUT')}:{net('BLUT')};", pins))
        elif kind == "L6MUX21":
            gates.append((["Z"], ["D0", "D1", "SD"], f"{net('Z')}={net('SD')}?{net('D1')}:{net('D0')};", pins))
        elif kind == "CCU2C":
            text = f"c={net('CIN')};"
            for i in "01":
                init, cuts = value[f"INIT{i}"], value.get(f"INJECT1_{i}", "NO").strip() == "YES"
                text += f"byte p{i}={lut([x + i for x in 'ABCD'], init)};"
                if isinstance(pins.get(f"S{i}", "x")[0], int):
                    text += f"{net(f'S{i}')}=p{i}^{0 if cuts else 'c'};"
                text += f"c=p{i}?c:{0 if cuts else lut([x + i for x in 'AB'], init[-4:])};"
            if isinstance(pins.get("COUT", "x")[0], int):
                text += f"{net('COUT')}=c;"
            gates.append((["S0", "S1", "COUT"], [x + i for x in "ABCD" for i in "01"] + ["CIN"], f"{{{text}}}", pins))
        elif kind == "TRELLIS_FF":
            clocks.add(net("CLK"))
            sets = value["REGSET"].strip() == "SET"
            enable = {"1": "1", "CE": net("CE"), "INV": "!" + net("CE")}[value["CEMUX"].strip()]
            flops.append((net("Q"), net("DI"), enable, net("LSR"), int(sets), int(sets)))
            if value["CLKMUX"].strip() != "CLK" or value["LSRMUX"].strip() != "LSR" or (
                    value.get("SRMODE", "").strip() != "LSR_OVER_CE" and net("LSR") != "0"):
                raise SystemExit(f"{name}: an inverted pin, or an asynchronous reset")
        elif kind in ("CARRY4", "CARRY8"):
            text = f"c={net('CI')}|{net('CYINIT')};" if kind == "CARRY4" else f"c={net('CI')};"
            for i in range(int(kind[5])):
                if isinstance(pins.get("O", [])[i:i + 1][0] if pins.get("O") else "x", int):
                    text += f"{net('O', i)}={net('S', i)}^c;"
                text += f"c={net('S', i)}?c:{net('DI', i)};"
                if pins.get("CO") and isinstance(pins["CO"][i], int):
                    text += f"{net('CO', i)}=c;"
            gates.append((["O", "CO"], ["CI", "CYINIT", "S", "DI"], text, pins))
        elif kind in ("FDRE", "FDSE"):
            reset = "R" if kind == "FDRE" else "S"
            clocks.add(net("C"))
            initial = value.get("INIT", "0")[-1]
            flops.append((net("Q"), net("D"), net("CE"), net(reset), int(kind == "FDSE"), int(initial == "1")))
            if any(value.get(f"IS_{pin}_INVERTED", "0")[-1] == "1" for pin in ("C", "D", reset)):
                raise SystemExit(f"{name}: an inverted pin")
        elif kind != "$scopeinfo":
            raise SystemExit(f"{name}: no model of {kind}")

    if len(clocks) != 1:
        raise SystemExit(f"{len(clocks)} clocks")
    made_by = {bit: i for i, (outputs, _, _, pins) in enumerate(gates)
               for pin in outputs for bit in pins.get(pin, []) if isinstance(bit, int)}
    needs = [{made_by[bit] for pin in inputs for bit in pins.get(pin, []) if bit in made_by} for _, inputs, _, pins in gates]
    order, state = [], [0] * len(gates)
    for root in range(len(gates)):
        stack = [root]
        while stack:
            i = stack[-1]
            if state[i] == 0:
                state[i] = 1
                stack += [j for j in needs[i] if state[j] == 0]
            else:
                stack.pop()
                if state[i] == 1:
                    state[i] = 2
                    order.append(i)
    rank = {i: at for at, i in enumerate(order)}
    if any(rank[j] > rank[i] for i in rank for j in needs[i]):
        raise SystemExit("a loop of gates")

    # Small functions, for the compiler's sake.
    parts = [order[i:i + 500] for i in range(0, len(order), 500)]
    text = ["typedef unsigned char byte;"]
    for i, part in enumerate(parts):
        text += [f"static void part{i}(byte *n) {{ byte c = 0; (void)c;", *(gates[j][2] for j in part), "}"]
    text += ["void settle(byte *n) {", *(f"part{i}(n);" for i in range(len(parts))), "}"]
    text += [f"static byte q[{len(flops)}];", "void clock(byte *n) {"]
    text += [f"q[{i}]={r}?{v}:{ce}?{d}:{q};" for i, (q, d, ce, r, v, _) in enumerate(flops)]
    text += [f"{q}=q[{i}];" for i, (q, *_) in enumerate(flops)]
    text += ["}", "void start(byte *n) {", *(f"{q}={initial};" for q, *_, initial in flops), "}"]
    text += [f"static byte marked[{len(flops)}];"]
    text += ["void mark(byte *n) {", *(f"marked[{i}]={q};" for i, (q, *_) in enumerate(flops)), "}"]
    text += ["int changed(byte *n) { int count = 0;", *(f"count+=marked[{i}]!={q};" for i, (q, *_) in enumerate(flops)),
             "return count; }"]
    return "\n".join(text) + "\n"
