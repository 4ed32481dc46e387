// SPDX-License-Identifier: Apache-2.0 OR MIT
// axis_guard: a frame that passes as good is contiguous, full but for its last beat, unmarked, of a permitted length, and is
// the frame that came; every frame is either good or counted under one reason.

module harness (input clk, input rst, input [15:0] s_tdata, input [1:0] s_tkeep, input s_tlast, s_tuser, s_tvalid, m_tready);
  wire s_tready, m_tlast, m_bad, m_tvalid, holed, errored, oversize, short_one;
  wire [15:0] m_tdata, m_length;
  axis_guard dut (.clk(clk), .rst(rst), .s_tdata(s_tdata), .s_tkeep(s_tkeep), .s_tlast(s_tlast), .s_tuser(s_tuser),
    .s_tvalid(s_tvalid), .s_tready(s_tready), .m_tdata(m_tdata), .m_tlast(m_tlast), .m_bad(m_bad), .m_tvalid(m_tvalid),
    .m_length(m_length), .m_tready(m_tready), .holed(holed), .errored(errored), .oversize(oversize), .short(short_one));

  reg started = 0;
  always @(posedge clk) started <= 1;
  always @* if (!started) assume (rst);

  // The frame that is coming, by the words of the interface.
  reg inside = 0, holes = 0, marked = 0;
  reg [7:0] bytes = 0;                                    // stays at 200 if there are more
  wire hole_now = (s_tkeep == 2'b10) || (!s_tlast && s_tkeep != 2'b11) || (inside && s_tkeep == 2'b00);
  wire [7:0] bytes_now = bytes > 190 ? 200 : bytes + s_tkeep[0] + s_tkeep[1];
  wire takes = s_tvalid && s_tready && !rst;

  // The form in which the last beat that was taken must come out.
  reg due = 0, due_last = 0, due_bad = 0;
  reg [15:0] due_data = 0;
  reg [7:0] due_bytes = 0;
  reg end_good = 0, end_bad = 0;                          // a frame ended in the cycle before
  always @(posedge clk) begin
    end_good <= 0;
    end_bad <= 0;
    if (s_tready) due <= 0;
    if (takes) begin
      due <= s_tlast || bytes <= 7;
      due_last <= s_tlast;
      due_data <= s_tdata;
      due_bytes <= bytes_now;
      due_bad <= holes || hole_now || marked || s_tuser || bytes_now < 3 || bytes_now > 7;
      inside <= !s_tlast;
      holes <= !s_tlast && (holes || hole_now);
      marked <= !s_tlast && (marked || s_tuser);
      bytes <= s_tlast ? 0 : bytes_now;
      if (s_tlast) begin
        end_bad <= holes || hole_now || marked || s_tuser || bytes_now < 3 || bytes_now > 7;
        end_good <= !(holes || hole_now || marked || s_tuser || bytes_now < 3 || bytes_now > 7);
      end
    end
    if (rst) begin
      inside <= 0; holes <= 0; marked <= 0; bytes <= 0; due <= 0; end_good <= 0; end_bad <= 0;
    end
  end

  always @* if (started) begin
    assert (m_tvalid == due);
    if (m_tvalid) begin
      assert (m_tlast == due_last);
      assert (m_tdata == due_data);
      if (m_tlast) assert (m_bad == due_bad);
      if (m_tlast && !m_bad) assert (m_length == due_bytes);
    end
    assert (holed + errored + oversize + short_one == end_bad);
  end
endmodule
