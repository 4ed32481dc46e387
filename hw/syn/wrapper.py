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


def fold(design):
    """a + (b xor c) in one carry chain; the number of bits.

    A bit of ECP5's chain is a function of four inputs: b xor c beside a sum needs no LUT before it. yosys makes a chain
    of a and b only. `design` is its JSON, with chains already made and other gates not.
    """
    folded = 0
    for module in design["modules"].values():
        cells = module["cells"].values()
        xors = {c["connections"]["Y"][0]: (c["connections"]["A"], c["connections"]["B"])
                for c in cells if c["type"] == "$_XOR_"}
        for cell in cells:
            if cell["type"] != "CCU2C":
                continue
            pins = cell["connections"]
            for i in "01":
                a, b, c, d = (x + i for x in "ABCD")
                if cell["parameters"]["INIT" + i] != "1001011010101010" or (pins[c], pins[d]) != (["0"], ["1"]):
                    continue
                if pins[b][0] not in xors:
                    pins[a], pins[b] = pins[b], pins[a]
                if pins[b][0] in xors:
                    pins[b], pins[c] = xors[pins[b][0]]
                    folded += 1
    return folded
