# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The wrapper in which every design is placed and routed, and the carry chains of ECP5."""

import re


def ports_of(verilog, top):
    header = re.search(rf"^module {top}\s.*?;", verilog, flags=re.M | re.S)[0]
    return [(direction, name, int(high or 0) + 1)
            for direction, high, name in re.findall(r"(input|output) *(?:\[(\d+):0\])? *(\w+)", header) if name != "clk"]


def layout(verilog, top, unread):
    """Direction, name, first bit and bits of each port that is read, in the wrapper's `inputs` and `outputs`."""
    at = {"input": 0, "output": 0}
    for direction, name, width in ports_of(verilog, top):
        if direction == "output" or not name.startswith(unread):
            yield direction, name, at[direction], width
            at[direction] += width


def wrapper(verilog, top, unread):
    """Verilog of `wrapper` around `top`: a bit in and a bit out per cycle, and a register at every port.

    So each path of `top` begins and ends in a register, and the device's pins do not matter. Inputs whose names begin with
    one of `unread` are 0.
    """
    wires, counts = [], {"input": 0, "output": 0}
    for direction, name, first, width in layout(verilog, top, unread):
        wires.append(f".{name}({direction}s[{first + width - 1}:{first}])")
        counts[direction] += width
    wires += [f".{name}(0)" for direction, name, _ in ports_of(verilog, top) if direction == "input" and name.startswith(unread)]
    return f"""module wrapper (input clk, si, load, output so);
  reg [{counts["input"] - 1}:0] inputs;
  wire [{counts["output"] - 1}:0] outputs;
  reg [{counts["output"] - 1}:0] kept;
  assign so = kept[0];
  always @(posedge clk) begin
    inputs <= {{inputs, si}};
    kept <= load ? outputs : kept >> 1;
  end
  {top} core (.clk(clk), {", ".join(wires)});
endmodule
"""


def unwrapped(module, verilog, top, unread):
    """The design in the netlist of its wrapper, as play.play takes it: `inputs` can be set, and `load` is 1."""
    def name(bit):
        return "1" if bit in module["ports"]["load"]["bits"] else "0" if bit in module["ports"]["si"]["bits"] else bit

    cells = {key: cell | {"connections": {pin: [name(bit) for bit in bits] for pin, bits in cell["connections"].items()}}
             for key, cell in module["cells"].items()}
    flops = {key: cell["connections"] for key, cell in cells.items() if cell["type"] == "TRELLIS_FF"}
    # `inputs` is a chain of registers without reset; `kept` takes what the design gives.
    moves = {pins["DI"][0]: key for key, pins in flops.items() if pins["LSR"] == ["0"]}
    inputs, bit = [], "0"
    while bit in moves:
        inputs.append(flops[moves[bit]]["Q"][0])
        del cells[moves[bit]]
        bit = inputs[-1]
    makes = {pins["Q"][0]: (key, pins["DI"][0]) for key, pins in flops.items()}
    outputs = [makes[bit][1] for bit in module["netnames"]["kept"]["bits"]]
    for bit in module["netnames"]["kept"]["bits"]:
        del cells[makes[bit][0]]
    bits = {"input": inputs, "output": outputs}
    ports = {name: {"bits": []} for _, name, _ in ports_of(verilog, top)}
    ports |= {name: {"bits": bits[direction][first:first + width]}
              for direction, name, first, width in layout(verilog, top, unread)}
    return {"cells": cells, "ports": ports}


def arrivals_of(cells):
    """How long after the registers each net is there, in carries: to enter a chain takes 24, a gate 6, as some of them
    share a LUT."""
    made_by = {}
    for cell in cells:
        pins = cell["connections"].items()
        if re.search("_[SA]?DFF|TRELLIS_FF", cell["type"]):
            continue
        entry = 24 if cell["type"] == "CCU2C" else 6
        inputs = [(bit, 1 if pin == "CIN" else entry) for pin, bits in pins if cell["port_directions"][pin] == "input"
                  for bit in bits]
        made_by |= dict.fromkeys((bit for pin, bits in pins if cell["port_directions"][pin] == "output" for bit in bits),
                                 inputs)
    arrivals, todo = {}, list(made_by)
    while todo:
        needs = [bit for bit, _ in made_by[todo[-1]] if bit not in arrivals and bit in made_by]
        if needs and todo[-1] not in arrivals:
            todo += needs
        else:
            bit = todo.pop()
            arrivals[bit] = max((arrivals.get(x, 0) + time for x, time in made_by[bit]), default=0)
    return arrivals


def fold(design):
    """a + (b xor c) and a + (s ? b : c) in one carry chain; the number of bits.

    A bit of ECP5's chain is a function of four inputs: what makes an addend needs no LUT before the sum. yosys makes a
    chain of a and b only. It is done for the addend that comes later: more inputs than needed make the chains hard to
    route. `design` is yosys's JSON, with chains already made and other gates not.
    The chain's bit: p = INIT[DCBA], and the carry out is the carry in if p, otherwise INIT[00BA]: which stays a.
    """
    folded = 0
    for module in design["modules"].values():
        cells = module["cells"].values()
        made = {c["connections"]["Y"][0]: (c["type"], c["connections"]) for c in cells if c["type"] in ("$_XOR_", "$_MUX_")}
        arrivals = arrivals_of(cells)
        for cell in cells:
            if cell["type"] != "CCU2C":
                continue
            pins = cell["connections"]
            for i in "01":
                a, b, c, d = (x + i for x in "ABCD")
                if cell["parameters"]["INIT" + i] != "1001011010101010" or (pins[c], pins[d]) != (["0"], ["1"]):
                    continue
                if arrivals.get(pins[a][0], 0) > arrivals.get(pins[b][0], 0):
                    pins[a], pins[b] = pins[b], pins[a]
                if pins[b][0] not in made:
                    continue
                kind, of = made[pins[b][0]]
                if kind == "$_XOR_":
                    pins[b], pins[c] = of["A"], of["B"]
                else:                                     # p = A xor (C ? B : D), which is A where C = D = 0
                    pins[b], pins[c], pins[d] = of["B"], of["S"], of["A"]
                    cell["parameters"]["INIT" + i] = "".join(
                        str((x & 1) ^ (x >> 1 if x & 4 else x >> 3) & 1) for x in reversed(range(16)))
                folded += 1
    return folded
