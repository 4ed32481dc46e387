# SPDX-License-Identifier: Apache-2.0 OR MIT
# Constraints of omd_link for tools that read SDC. Not run.
create_clock -name clk_ptxt -period 8.0  [get_ports clk_ptxt]
create_clock -name clk_core -period 10.0 [get_ports clk_core]
create_clock -name clk_ctxt -period 8.0  [get_ports clk_ctxt]
# What crosses is in Gray code, or settled by a pointer that crossed before (research/hw/syn/cdc.py): no bit may take longer than the
# shortest period of both clocks.
set_max_delay 8.0 -ignore_clock_latency -from [get_clocks clk_ptxt] -to [get_clocks clk_core]
set_max_delay 8.0 -ignore_clock_latency -from [get_clocks clk_core] -to [get_clocks clk_ptxt]
set_max_delay 8.0 -ignore_clock_latency -from [get_clocks clk_ctxt] -to [get_clocks clk_core]
set_max_delay 8.0 -ignore_clock_latency -from [get_clocks clk_core] -to [get_clocks clk_ctxt]
set_false_path -from [get_ports {ptxt_aresetn core_aresetn ctxt_aresetn}]
