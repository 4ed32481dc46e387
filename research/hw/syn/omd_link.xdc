# SPDX-License-Identifier: Apache-2.0 OR MIT
# Constraints of omd_link for Vivado. Not run: no Vivado was at hand.
# The clocks' periods are yours to set; these are of a link at 1 Gb/s.
create_clock -name clk_ptxt -period 8.0  [get_ports clk_ptxt]
create_clock -name clk_core -period 10.0 [get_ports clk_core]
create_clock -name clk_ctxt -period 8.0  [get_ports clk_ctxt]

# Pointers and counts in Gray code: no bit may come later than the next, so less than the shortest period of both clocks.
set_max_delay -datapath_only 8.0 -to [get_cells -hier -regexp {.*fifo_(ptxt|enc|ctxt|dec)/(read_1|read_packet_1|write_packet_1)_reg.*}]
set_max_delay -datapath_only 8.0 -to [get_cells -hier -regexp {.*control/sums/sampled_reg.*}]
set_property ASYNC_REG true [get_cells -hier -regexp {.*fifo_(ptxt|enc|ctxt|dec)/(read|read_packet|write_packet)_[12]_reg.*}]
set_property ASYNC_REG true [get_cells -hier -regexp {.*control/sums/(sampled|settled)_reg.*}]
# A descriptor is read cycles after it was written, once its pointer has crossed.
set_max_delay -datapath_only 8.0 -from [get_cells -hier -regexp {.*fifo_(ptxt|enc|ctxt|dec)/descriptor_reg.*}]
# The resets are asynchronous, and synchronised where they end.
set_false_path -from [get_ports {ptxt_aresetn core_aresetn ctxt_aresetn}]
