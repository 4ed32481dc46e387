# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A sparser placement: LUTs that do nothing, fixed in some rows of an ECP5-85.

nextpnr places as densely as it can, and sums of 64 bits from carry chain to carry chain ask for more wires than there are
where every LUT is used: its router does not end then. A chain lies within its row.
"""

COLUMNS = range(3, 124)
# Every twelfth row has memories and multipliers.
ROWS = [row for row in range(1, 95) if row % 12 != 10]


def places(every):
    """The LUTs of one row in `every`; with 0, none."""
    return [f"X{column}/Y{row}/SLICE{lut}" for row in (ROWS[1::every] if every else []) for column in COLUMNS
            for lut in ("A.K0", "A.K1", "B.K0", "B.K1", "C.K0", "C.K1", "D.K0", "D.K1")]


def leave_free(module, every):
    """Fills them. `module` is of yosys's JSON, mapped and not yet packed."""
    pins = {pin: "input" for pin in "ABCD"} | {"Z": "output"}
    first = 1 + max(bit for cell in module["cells"].values() for bits in cell["connections"].values() for bit in bits
                    if isinstance(bit, int))
    for net, place in enumerate(places(every), first):
        module["cells"][place] = {
            "hide_name": 0, "type": "LUT4", "parameters": {"INIT": "0" * 16}, "attributes": {"BEL": place},
            "port_directions": pins, "connections": {pin: [] for pin in "ABCD"} | {"Z": [net]}}
        module["netnames"][f"nothing at {place}"] = {"hide_name": 1, "bits": [net], "attributes": {}}
