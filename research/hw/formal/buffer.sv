// SPDX-License-Identifier: Apache-2.0 OR MIT
// omd_decrypt_buffer: a beat of a packet's message comes out only after the packet's last beat has come in, with a right tag and
// no more beats than fit; each beat is the one that came in at its place; a packet that was refused shows its end alone.

module harness (input clk, input rst, zeroise, input [7:0] s_axis_tdata, input s_axis_tkeep, input [1:0] s_axis_tuser,
                input s_axis_tlast, s_axis_tvalid, m_axis_tready);
  wire erased, s_axis_tready, m_axis_tkeep, m_axis_tlast, m_axis_tvalid;
  wire [7:0] m_axis_tdata;
  wire [1:0] m_axis_tuser;
  omd_decrypt_buffer dut (.clk(clk), .rst(rst), .zeroise(zeroise), .erased(erased), .s_axis_tdata(s_axis_tdata),
    .s_axis_tkeep(s_axis_tkeep), .s_axis_tuser(s_axis_tuser), .s_axis_tlast(s_axis_tlast), .s_axis_tvalid(s_axis_tvalid),
    .s_axis_tready(s_axis_tready), .m_axis_tdata(m_axis_tdata), .m_axis_tkeep(m_axis_tkeep), .m_axis_tuser(m_axis_tuser),
    .m_axis_tlast(m_axis_tlast), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready));

  reg started = 0;
  always @(posedge clk) started <= 1;
  always @* if (!started) assume (rst);

  // Any packet, by its number since the last erasure, modulo 8; and any of its beats.
  (* anyconst *) reg [2:0] watched;
  (* anyconst *) reg [1:0] watched_beat;
  reg [2:0] in_packet = 0, out_packet = 0;
  reg [1:0] in_beat = 0, out_beat = 0;                    // 3: three or more
  reg ended = 0, good = 0, has_beat = 0;
  reg [7:0] beat = 0;
  wire takes = s_axis_tvalid && s_axis_tready, gives = m_axis_tvalid && m_axis_tready;
  always @(posedge clk) begin
    if (takes) begin
      in_beat <= s_axis_tlast ? 0 : in_beat == 3 ? 3 : in_beat + 1;
      if (in_packet == watched && in_beat == watched_beat && !s_axis_tlast) begin
        has_beat <= 1;
        beat <= s_axis_tdata;
      end
      if (s_axis_tlast) begin
        in_packet <= in_packet + 1;
        if (in_packet == watched) begin
          ended <= 1;
          good <= !s_axis_tuser[1] && in_beat <= 2;
        end
      end
    end
    if (gives) begin
      out_beat <= m_axis_tlast ? 0 : out_beat == 3 ? 3 : out_beat + 1;
      if (m_axis_tlast) begin
        out_packet <= out_packet + 1;
        if (out_packet == watched) begin
          ended <= 0;
          has_beat <= 0;
        end
      end
    end
    if (rst || zeroise) begin
      in_packet <= 0; out_packet <= 0; in_beat <= 0; out_beat <= 0; ended <= 0; has_beat <= 0; good <= 0;
    end
  end

  always @* if (started && m_axis_tvalid && !rst && !zeroise && out_packet == watched) begin
    assert (ended);
    if (!m_axis_tlast) assert (good);
    if (!m_axis_tlast && out_beat == watched_beat) assert (has_beat && m_axis_tdata == beat);
    if (m_axis_tlast) assert (m_axis_tuser[1] == !good);
  end
endmodule
