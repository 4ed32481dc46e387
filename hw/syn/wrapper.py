"""The wrapper in which every design is placed and routed, and the carry chains of ECP5."""

import re


def wrapper(verilog, top):
    """Verilog of `wrapper` around `top`: a bit in and a bit out per cycle, and a register at every port.

    So each path of `top` begins and ends in a register, and the device's pins do not matter.
    """
    header = re.search(rf"^module {top}\s.*?;", verilog, flags=re.M | re.S)[0]
    wires, counts = [], {"input": 0, "output": 0}
    for direction, high, name in re.findall(r"(input|output) *(?:\[(\d+):0\])? *(\w+)", header):
        if name != "clk":
            first, width = counts[direction], int(high or 0) + 1
            wires.append(f".{name}({direction}s[{first + width - 1}:{first}])")
            counts[direction] += width
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
