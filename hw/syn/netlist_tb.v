// Plays the files of sim/stimulus.py, one session of one lane with L* and Tag_a given, to a netlist of omd_core.
`timescale 1ns / 1ps
module netlist_tb;
  parameter N = 64;
  reg clk = 0, rst = 1;
  reg [N-1:0] key = 0;
  reg key_valid = 0;
  wire key_ready;
  reg [8*N-1:0] s_data = 0;
  reg [N-1:0] s_keep = 0;
  reg s_user = 0, s_last = 0, s_valid = 0;
  wire s_ready;
  wire [8*N-1:0] m_data;
  wire [N-1:0] m_keep;
  wire [1:0] m_user;
  wire m_last, m_valid;
  reg [8*N-1:0] l_star = 0, tag_a = 0;

  omd_core dut (
    .clk(clk), .rst(rst), .zeroise(1'b0), .s_key_tdata(key), .s_key_tvalid(key_valid), .s_key_tready(key_ready),
    .s_ad_tdata({16 * N{1'b0}}), .s_ad_tkeep({2 * N{1'b0}}), .s_ad_tlast(1'b0), .s_ad_tvalid(1'b0), .s_ad_tready(),
    .s_axis_tdata(s_data), .s_axis_tkeep(s_keep), .s_axis_tuser(s_user), .s_axis_tlast(s_last),
    .s_axis_tvalid(s_valid), .s_axis_tready(s_ready), .m_axis_tdata(m_data), .m_axis_tkeep(m_keep),
    .m_axis_tuser(m_user), .m_axis_tlast(m_last), .m_axis_tvalid(m_valid), .m_axis_tready(1'b1), .l_star(l_star),
    .tag_a(tag_a));

  integer keys, source, sink, given, ok, session, last, user, unused, beats = 0;
  reg [8*N-1:0] want;
  reg [N-1:0] want_keep;
  always #5 clk = ~clk;

  initial begin
    keys = $fopen("key.txt", "r");
    repeat (20) @(posedge clk);
    #1 rst = 0;
    while ($fscanf(keys, "%d %h %d %d %d", session, key, unused, unused, unused) == 5) begin
      key_valid = 1;
      #1;
      while (!key_ready) @(posedge clk) #1;
      @(posedge clk) #1;
    end
    key_valid = 0;
  end

  integer s1, l1, u1;
  initial begin
    source = $fopen("s0.txt", "r");
    while ($fscanf(source, "%d %h %h %d %d", s1, s_data, s_keep, l1, u1) == 5) begin
      s_last = l1;
      s_user = u1;
      s_valid = 1;
      @(negedge clk);
      while (!s_ready || rst) @(negedge clk);
      @(posedge clk) #1;
    end
    s_valid = 0;
  end

  initial begin
    sink = $fopen("m0.txt", "r");
    given = $fopen("given0.txt", "r");
    ok = $fscanf(given, "%d %h %h", unused, l_star, tag_a);
    while ($fscanf(sink, "%d %h %h %d %d", session, want, want_keep, last, user) == 5) begin
      @(negedge clk);
      while (m_valid !== 1 || rst) @(negedge clk);
      if (m_data !== want || m_keep !== want_keep || m_last !== last[0] || m_user !== user[1:0]) begin
        $display("FAILED: beat %0d: %h, and not %h", beats, m_data, want);
        $finish;
      end
      beats = beats + 1;
      @(posedge clk) #1;
      if (last) ok = $fscanf(given, "%d %h %h", unused, l_star, tag_a);
    end
    if (beats == 0) $display("FAILED: nothing compared");
    else $display("passed: %0d beats", beats);
    $finish;
  end

  initial begin
    #2000000 $display("FAILED: no end");
    $finish;
  end
endmodule
