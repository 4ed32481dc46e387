// SPDX-License-Identifier: Apache-2.0 OR MIT
// packet_fifo, with two clocks of any frequencies and phases: what comes out are the beats of the packets that were
// committed, in their order, none twice and none left out before it, with their packet's last and info; nothing comes out
// that was not committed; and of each pointer that crosses at most one bit changes with an edge.

module harness (
`ifdef ONE_CLOCK
                input clk,
`else
                input wr_clk, rd_clk,
`endif
                input [1:0] s_tdata, input s_tlast, s_tvalid, s_drop, abort, s_info, m_tready, input wr_rst, rd_rst);
`ifdef ONE_CLOCK
  wire step = clk, wr_clk = clk, rd_clk = clk;
`else
  (* gclk *) wire step;
`endif
  wire s_tready, overflow, m_tlast, m_tvalid, m_info;
  wire [1:0] m_tdata;
  wire [1:0] write_packet_gray, read_packet_gray;
  wire [2:0] read_gray;
  packet_fifo dut (.wr_clk(wr_clk), .wr_rst(wr_rst), .s_tdata(s_tdata), .s_tlast(s_tlast), .s_tvalid(s_tvalid),
    .s_drop(s_drop), .s_info(s_info), .s_tready(s_tready), .abort(abort), .overflow(overflow), .rd_clk(rd_clk),
    .rd_rst(rd_rst), .m_tdata(m_tdata), .m_tlast(m_tlast), .m_tvalid(m_tvalid), .m_info(m_info), .m_tready(m_tready),
    .f_write_packet_gray(write_packet_gray), .f_read_packet_gray(read_packet_gray), .f_read_gray(read_gray));

  // Inputs change with their clock only; both resets are on at first, and end once.
  reg [3:0] steps = 0;
  always @(posedge step) if (steps != 15) steps <= steps + 1;
  always @(posedge step) begin
    if (steps == 0) assume (wr_rst && rd_rst);
    if (steps != 0 && !$past(wr_rst)) assume (!wr_rst);
    if (steps != 0 && !$past(rd_rst)) assume (!rd_rst);
`ifndef ONE_CLOCK
    if (steps == 0) assume (!wr_clk && !rd_clk);
    if (steps != 0 && !(wr_clk && !$past(wr_clk)))
      assume ($stable(s_tdata) && $stable(s_tlast) && $stable(s_tvalid) && $stable(s_drop) && $stable(abort)
              && $stable(s_info) && $stable(wr_rst));
    if (steps != 0 && !(rd_clk && !$past(rd_clk))) assume ($stable(m_tready) && $stable(rd_rst));
`endif
  end

  // One beat, any, of all that are ever committed, by its number.
  (* anyconst *) reg [3:0] watched;
  reg [3:0] committed = 0, within = 0, taken = 0;
  reg is_in = 0, in_last = 0, in_info = 0;
  reg [1:0] in_data = 0;
  // Whether this beat finds no room is the FIFO's to say: it says so with `overflow` a cycle after the last beat. The harness
  // counts a packet as committed when it is not dropped, and takes that back where `overflow` follows.
  reg ended = 0;
  reg [3:0] before_end = 0;
  reg was_in = 0;
  always @(posedge wr_clk) begin
    ended <= 0;
    if (s_tvalid && s_tready && !wr_rst && !abort) begin
      if (committed + within == watched) begin
        in_data <= s_tdata;
        in_last <= s_tlast;
      end
      within <= within + 1;
      if (s_tlast) begin
        within <= 0;
        if (!s_drop) begin
          ended <= 1;
          before_end <= committed;
          was_in <= is_in;
          committed <= committed + within + 1;
          if (committed <= watched && watched <= committed + within) begin
            is_in <= 1;
            in_info <= s_info;
          end
        end
      end
    end
    if (abort) within <= 0;
    if (ended && overflow && !wr_rst) begin
      committed <= before_end;
      is_in <= was_in;
    end
  end
  always @(posedge step) begin
    assume (committed < 12 && within < 4);                // the numbers do not wrap
    // A packet after one that found no room begins a beat later: the harness takes the count back first.
    if (ended) assume (!s_tvalid);
  end

  always @(posedge rd_clk) if (m_tvalid && m_tready && !rd_rst) taken <= taken + 1;
  always @(posedge step) if (steps > 1) begin
    if (m_tvalid && !rd_rst) begin
      assert (taken < committed);
      if (taken == watched) begin
        assert (is_in);
        assert (m_tdata == in_data && m_tlast == in_last && m_info == in_info);
      end
    end
    assert ($onehot0(write_packet_gray ^ $past(write_packet_gray)) || wr_rst);
    assert ($onehot0(read_packet_gray ^ $past(read_packet_gray)) || rd_rst);
    assert ($onehot0(read_gray ^ $past(read_gray)) || rd_rst);
  end
endmodule
