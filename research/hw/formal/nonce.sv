// SPDX-License-Identifier: Apache-2.0 OR MIT
// nonce_gen: within a session each counter that is given is larger than the one before, the first is 0, the last value of all
// is never given, and none is given without a session.

module harness (input clk, input rst, input enabled, take, input [63:0] rekey_limit);
  wire [63:0] counter;
  wire valid, refuses, exhausted, rekey_due;
  nonce_gen dut (.clk(clk), .rst(rst), .enabled(enabled), .rekey_limit(rekey_limit), .counter(counter), .valid(valid),
    .take(take), .refuses(refuses), .exhausted(exhausted), .rekey_due(rekey_due));

  reg started = 0;
  always @(posedge clk) started <= 1;
  always @* if (!started) assume (rst);

  reg any = 0, session = 0;                               // given one in this session; one was on a cycle ago
  reg [63:0] last = 0;
  wire gives = valid && take && !rst;
  always @(posedge clk) begin
    session <= enabled && !rst;
    if (gives) begin
      any <= 1;
      last <= counter;
    end
    if (rst || !enabled) any <= 0;
  end

  always @* if (started) begin
    if (valid) assert (enabled && session);
    if (valid) assert (counter != 64'hffffffffffffffff);
    if (session && any) assert (counter > last);
    if (session && any) assert (counter == last + 1);
    if (valid && !any) assert (counter == 0);
    assert (!(valid && refuses));
  end
endmodule
