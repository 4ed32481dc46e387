// SPDX-License-Identifier: Apache-2.0 OR MIT
// packet_fifo, with two clocks of any frequencies and phases: what comes out are the beats of the packets that were
// committed, in their order, none twice and none left out before it, with their packet's last and info; nothing comes out
// that was not committed; no more than the FIFO and its two registers hold are under way; and of each pointer that crosses
// at most one bit changes in a step.
//
// A step is a moment in which one of the clocks, or both, may rise: wr_clk and rd_clk say which do. Resets begin at any
// step, on both sides at once, and end on each side at any step after its clock has risen once.
// A beat's number is modulo 8. As at most six are committed and not taken, at most one of these has the number `watched`, which is
// any: it is followed from its commitment until it is taken, and so is each later beat of this number.
// With WAITS, of a FIFO that waits for room: no packet is dropped.
// With INVARIANTS, it is said where each pointer stands, and where the watched beat is: so that the proof is one by induction.

module harness (
  input clk, wr_clk, rd_clk,
  input s_tdata, s_tlast, s_tvalid, s_drop, abort, s_info, m_tready, wr_rst, rd_rst);
  wire s_tready, overflow, m_tdata, m_tlast, m_tvalid, m_info;
  wire [2:0] f_write, f_start, f_freed, f_read, f_left, read_gray, read_1, read_2;
  wire [1:0] f_write_packet, f_freed_packet, f_read_packet;
  wire [1:0] write_packet_gray, write_packet_1, write_packet_2, read_packet_gray, read_packet_1, read_packet_2;
  wire f_loses, info, fetched, f_fetched_valid, fetched_last, fetched_info;
  wire [3:0] memory;
  wire [7:0] descriptor;
  packet_fifo dut (.clk(clk), .wr_clk(wr_clk), .wr_rst(wr_rst), .s_tdata(s_tdata), .s_tlast(s_tlast), .s_tvalid(s_tvalid),
    .s_drop(s_drop), .s_info(s_info), .s_tready(s_tready), .abort(abort), .overflow(overflow), .rd_clk(rd_clk),
    .rd_rst(rd_rst), .m_tdata(m_tdata), .m_tlast(m_tlast), .m_tvalid(m_tvalid), .m_info(m_info), .m_tready(m_tready),
    .f_write(f_write), .f_start(f_start), .f_freed(f_freed), .f_read(f_read), .f_left(f_left), .f_read_gray(read_gray),
    .f_read_1(read_1), .f_read_2(read_2), .f_write_packet(f_write_packet), .f_freed_packet(f_freed_packet),
    .f_read_packet(f_read_packet), .f_write_packet_gray(write_packet_gray), .f_write_packet_1(write_packet_1),
    .f_write_packet_2(write_packet_2), .f_read_packet_gray(read_packet_gray), .f_read_packet_1(read_packet_1),
    .f_read_packet_2(read_packet_2), .f_loses(f_loses), .f_info(info), .f_fetched(fetched),
    .f_fetched_valid(f_fetched_valid), .f_fetched_last(fetched_last), .f_fetched_info(fetched_info), .f_memory(memory),
    .f_descriptor(descriptor));

  // Resets. A side whose clock has not risen since is `stale`.
  reg started = 0, wr_was_rst = 1, rd_was_rst = 1, wr_was_stale = 1, rd_was_stale = 1;
  wire wr_begins = wr_rst && !wr_was_rst, rd_begins = rd_rst && !rd_was_rst, begins = wr_begins || rd_begins;
  wire wr_stale = wr_rst && (wr_begins || wr_was_stale), rd_stale = rd_rst && (rd_begins || rd_was_stale);
  always @(posedge clk) begin
    started <= 1;
    wr_was_rst <= wr_rst;
    rd_was_rst <= rd_rst;
    wr_was_stale <= wr_stale && !wr_clk;
    rd_was_stale <= rd_stale && !rd_clk;
  end
  always @* begin
    assume (started || (wr_rst && rd_rst));
    assume (!begins || (wr_rst && rd_rst));
    assume (wr_rst || !wr_was_stale);
    assume (rd_rst || !rd_was_stale);
  end

  // The writer's side: which beats are committed. That a packet finds no room is the FIFO's to say: it says so with `overflow`
  // a cycle after the packet's last beat, so what ends waits for a cycle.
  (* anyconst *) reg [2:0] watched;
  reg [2:0] committed = 0, within = 0, beats = 0;
  reg [3:0] under_way = 0;                               // committed and not taken
  reg ended = 0;                                         // with this many beats, not dropped by the source
  reg has = 0, data = 0;                                 // the watched beat in the packet that comes
  reg ended_has = 0, ended_data = 0, ended_last = 0, ended_info = 0;
  reg kept_data = 0, kept_last = 0, kept_info = 0;       // the watched beat, committed
  wire commits = ended && !overflow;
  wire [2:0] now_committed = commits ? committed + beats : committed;
  wire comes = s_tvalid && s_tready && !abort;
  wire [2:0] number = now_committed + within;
  wire is_watched = number == watched && within <= 4;
  wire takes = rd_clk && !rd_rst && m_tvalid && m_tready;
  always @(posedge clk) begin
    under_way <= under_way + (wr_clk && !wr_rst && commits ? beats : 0) - takes;
    if (wr_clk && !wr_rst) begin
      ended <= 0;
      committed <= now_committed;
      if (commits && ended_has) begin
        kept_data <= ended_data;
        kept_last <= ended_last;
        kept_info <= ended_info;
      end
      if (comes) begin
        if (is_watched) begin
          has <= 1;
          data <= s_tdata;
        end
        if (within != 5) within <= within + 1;
        if (s_tlast) begin
          within <= 0;
          has <= 0;
          ended <= !s_drop;
          beats <= within + 1;
          ended_has <= has || is_watched;
          ended_data <= is_watched ? s_tdata : data;
          ended_last <= is_watched;
          ended_info <= s_info;
        end
      end
      if (abort) begin
        within <= 0;
        has <= 0;
      end
    end
    if (begins) begin
      under_way <= 0;
      committed <= 0;
      within <= 0;
      ended <= 0;
      has <= 0;
    end
  end
  wire [2:0] taken = committed - under_way[2:0];

  // The properties to be proved.
  reg [1:0] write_packet_was = 0, read_packet_was = 0;
  reg [2:0] read_was = 0;
  always @(posedge clk) begin
    write_packet_was <= write_packet_gray;
    read_packet_was <= read_packet_gray;
    read_was <= read_gray;
  end
  always @* if (!begins) begin
    if (m_tvalid && !rd_rst) begin
      assert (under_way != 0);
      if (taken == watched) assert (m_tdata == kept_data && m_tlast == kept_last && m_info == kept_info);
    end
    assert (under_way <= 6);
    if (commits) assert (beats <= 4);
`ifdef WAITS
    assert (!overflow || wr_rst);
`endif
    assert ($onehot0(write_packet_gray ^ write_packet_was));
    assert ($onehot0(read_packet_gray ^ read_packet_was));
    assert ($onehot0(read_gray ^ read_was));
  end

`ifdef INVARIANTS
  // A stale value is taken to be its reset value.
  wire [2:0] write = wr_stale ? 0 : f_write, start = wr_stale ? 0 : f_start, freed = wr_stale ? 0 : f_freed;
  wire [1:0] write_packet = wr_stale ? 0 : f_write_packet, freed_packet = wr_stale ? 0 : f_freed_packet;
  wire loses = f_loses && !wr_stale;
  wire [2:0] read = rd_stale ? 0 : f_read, left = rd_stale ? 0 : f_left;
  wire [1:0] read_packet = rd_stale ? 0 : f_read_packet;
  wire fetched_valid = f_fetched_valid && !rd_stale, shown_valid = m_tvalid && !rd_stale;

  // Pointers, from the oldest place that the writer does not know to be free.
  function [2:0] of_gray (input [2:0] gray);
    of_gray = {gray[2], gray[2] ^ gray[1], gray[2] ^ gray[1] ^ gray[0]};
  endfunction
  function [1:0] of_packet (input [1:0] gray);
    of_packet = {gray[1], gray[1] ^ gray[0]};
  endfunction
  wire [2:0] o_2 = of_gray(read_2) - freed, o_1 = of_gray(read_1) - freed, o_gray = of_gray(read_gray) - freed;
  wire [2:0] o_read = read - freed, o_start = start - freed, o_write = write - freed;
  wire [1:0] p_2 = of_packet(read_packet_2) - freed_packet, p_1 = of_packet(read_packet_1) - freed_packet;
  wire [1:0] p_gray = of_packet(read_packet_gray) - freed_packet, p_read = read_packet - freed_packet;
  wire [1:0] p_to_2 = of_packet(write_packet_2) - freed_packet, p_to_1 = of_packet(write_packet_1) - freed_packet;
  wire [1:0] p_to = of_packet(write_packet_gray) - freed_packet, p_write = write_packet - freed_packet;

  // The packets that are committed and not read, none, one or two, and where the packets in memory end.
  wire [1:0] unread = write_packet - read_packet;
  wire [3:0] descriptor_0 = read_packet[0] ? descriptor[7:4] : descriptor[3:0];
  wire [3:0] descriptor_1 = read_packet[0] ? descriptor[3:0] : descriptor[7:4];
  wire [3:0] beats_0 = unread == 0 ? 0 : descriptor_0[3:1], beats_1 = unread < 2 ? 0 : descriptor_1[3:1];
  wire [4:0] in_memory = left + beats_0 + beats_1;
  wire [2:0] end_left = read + left, end_0 = end_left + beats_0, end_1 = end_0 + beats_1;

  // The watched beat, where it is committed, and its place after the oldest in memory.
  wire its_data = commits && ended_has ? ended_data : kept_data;
  wire its_last = commits && ended_has ? ended_last : kept_last;
  wire its_info = commits && ended_has ? ended_info : kept_info;
  wire [2:0] next_one = watched + 1, place = watched - read, after = watched - start, read_committed = committed - read;

  always @* begin
    if (wr_was_rst && !wr_stale) assert (write == 0 && start == 0 && write_packet == 0 && freed == 0 && freed_packet == 0
                                         && !loses && !overflow);
    if (rd_was_rst && !rd_stale) assert (read == 0 && left == 0 && read_packet == 0 && !fetched_valid && !shown_valid);
  end
  always @* if (!begins) begin
    if (wr_was_rst) assert (committed == 0 && within == 0 && !ended && !has);
    assert (o_2 <= o_1 && o_1 <= o_gray && o_gray <= o_read && o_read <= o_start && o_start <= o_write && o_write <= 4);
    assert (p_2 <= p_1 && p_1 <= p_gray && p_gray <= p_read && p_read <= p_to_2 && p_to_2 <= p_to_1 && p_to_1 <= p_to
            && p_to <= p_write && p_write <= 2);
    assert (o_read - o_gray <= 3'd1 && p_read - p_gray <= 2'd1 && p_write - p_to == commits);
    assert (left <= 4 && in_memory <= 4 && end_1 == start);
    assert ((unread == 0 || beats_0 != 0) && (unread < 2 || beats_1 != 0));
    assert (now_committed == start && under_way == read_committed + fetched_valid + shown_valid);
    if (!loses) assert (within == write - start && has == (after < write - start));
    if (!loses && has) assert (memory[watched[1:0]] == data);
`ifdef WAITS
    assert (!loses);
`endif
    if (ended) assert (within == 0 && !has && !loses && write == start);
    if (commits) assert (beats == (unread == 1 ? beats_0 : beats_1) && ended_has == (watched - committed < beats));
    if (place < o_start - o_read) begin
      assert (memory[watched[1:0]] == its_data);
      assert (its_last == (next_one == end_left || next_one == end_0 || next_one == end_1));
      assert (its_info == (place < left ? info : place < left + beats_0 ? descriptor_0[0] : descriptor_1[0]));
    end
    if (fetched_valid && next_one == read)
      assert (fetched == its_data && fetched_last == its_last && fetched_info == its_info);
    if (shown_valid && watched == taken) assert (m_tdata == its_data && m_tlast == its_last && m_info == its_info);
  end
`endif
endmodule
