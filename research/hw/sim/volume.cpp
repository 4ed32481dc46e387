// SPDX-License-Identifier: Apache-2.0 OR MIT
// Two ends of a link in Verilator, with thousands of frames both ways over a channel: volume.py builds and runs it.
//
//   volume FRAMES LONGEST NOISE SEED
//
// NOISE of 1000 packets are lost, as many repeated, held back behind others, altered, cut and marked as erroneous. Every frame that
// comes out must be one that went in, once; with NOISE 0 all must come out, in their order. The master key is of bytes 0 to n - 1,
// identifiers are fixed. To standard output: identifiers, then of every 500th packet from A to B its frame and itself, in hexadecimal,
// which volume.py compares with the reference; last a line of counts.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "Vomd_link.h"
#include "verilated.h"

using bytes = std::vector<uint8_t>;

static void fail(const char *what) {
  fprintf(stderr, "volume: %s\n", what);
  exit(1);
}

static std::mt19937_64 chance;
static unsigned below(unsigned n) { return chance() % n; }

// A frame on its way into a port, eight bytes to the beat, with pauses.
struct source {
  std::deque<std::pair<bytes, bool>> frames;  // the second: marked as erroneous
  size_t sent = 0;
  bool pausing = false;
};

static std::string hex(const bytes &text) {
  std::string out;
  char two[3];
  for (uint8_t byte : text) {
    snprintf(two, sizeof two, "%02x", byte);
    out += two;
  }
  return out;
}

struct end {
  Vomd_link link;
  source plain, packets;
  bytes frame_out, packet_out;
  std::deque<bytes> frames, sealed;  // that have come out

  end() {
    link.clk_ptxt = link.clk_core = link.clk_ctxt = 0;
    link.ptxt_aresetn = link.core_aresetn = link.ctxt_aresetn = 0;
    link.s_ptxt_tvalid = link.s_ctxt_tvalid = 0;
    link.m_ptxt_tready = link.m_ctxt_tready = 1;
    link.s_axil_awvalid = link.s_axil_wvalid = link.s_axil_arvalid = 0;
    link.s_axil_bready = link.s_axil_rready = 1;
    link.s_axil_wstrb = 15;
    link.eval();
  }
};

template <class D, class K, class B>
static void offer(source &from, D &data, K &keep, B &last, B &user, B &valid) {
  if (from.frames.empty() || from.pausing) {
    valid = 0;
    return;
  }
  const bytes &frame = from.frames.front().first;
  uint64_t word = 0;
  unsigned kept = 0;
  for (unsigned i = 0; i < 8 && from.sent + i < frame.size(); i++) {
    word |= uint64_t(frame[from.sent + i]) << 8 * i;
    kept |= 1u << i;
  }
  data = word;
  keep = kept;
  last = from.sent + 8 >= frame.size();
  user = last && from.frames.front().second;
  valid = 1;
}

static void taken(source &from) {
  from.sent += 8;
  if (from.sent >= from.frames.front().first.size()) {
    from.frames.pop_front();
    from.sent = 0;
  }
}

static void come(uint64_t data, unsigned keep, bool last, bytes &frame, std::deque<bytes> &frames) {
  for (unsigned i = 0; i < 8; i++)
    if (keep >> i & 1) frame.push_back(data >> 8 * i);
  if (last) {
    frames.push_back(frame);
    frame.clear();
  }
}

// An edge of each clock that is due. Periods have no common divisor but 1: all phases occur.
static uint64_t now = 0;
static const unsigned half[2][3] = {{41, 67, 31}, {43, 61, 37}};

static void step(end *ends) {
  now++;
  for (int e = 0; e < 2; e++) {
    Vomd_link &l = ends[e].link;
    bool ptxt = now % half[e][0] == 0, core = now % half[e][1] == 0, ctxt = now % half[e][2] == 0;
    if (!ptxt && !core && !ctxt) continue;
    bool ptxt_rises = ptxt && !l.clk_ptxt, ctxt_rises = ctxt && !l.clk_ctxt;
    bool in = false, out = false, packet_in = false, packet_out = false;
    if (ptxt_rises) {
      in = l.s_ptxt_tvalid && l.s_ptxt_tready;
      out = l.m_ptxt_tvalid && l.m_ptxt_tready;
      if (out) come(l.m_ptxt_tdata, l.m_ptxt_tkeep, l.m_ptxt_tlast, ends[e].frame_out, ends[e].frames);
    }
    if (ctxt_rises) {
      packet_in = l.s_ctxt_tvalid && l.s_ctxt_tready;
      packet_out = l.m_ctxt_tvalid && l.m_ctxt_tready;
      if (packet_out) come(l.m_ctxt_tdata, l.m_ctxt_tkeep, l.m_ctxt_tlast, ends[e].packet_out, ends[e].sealed);
    }
    l.clk_ptxt ^= ptxt;
    l.clk_core ^= core;
    l.clk_ctxt ^= ctxt;
    l.eval();
    // Inputs change behind the edge.
    if (ptxt_rises) {
      if (in) taken(ends[e].plain);
      if (in || !l.s_ptxt_tvalid) ends[e].plain.pausing = below(8) == 0;
      offer(ends[e].plain, l.s_ptxt_tdata, l.s_ptxt_tkeep, l.s_ptxt_tlast, l.s_ptxt_tuser, l.s_ptxt_tvalid);
      l.m_ptxt_tready = below(4) != 0;
    }
    if (ctxt_rises) {
      if (packet_in) taken(ends[e].packets);
      if (packet_in || !l.s_ctxt_tvalid) ends[e].packets.pausing = below(8) == 0;
      offer(ends[e].packets, l.s_ctxt_tdata, l.s_ctxt_tkeep, l.s_ctxt_tlast, l.s_ctxt_tuser, l.s_ctxt_tvalid);
      l.m_ctxt_tready = below(4) != 0;
    }
    l.eval();
  }
}

static void core_edge(end *ends, int e) {
  Vomd_link &l = ends[e].link;
  bool was;
  do {
    was = l.clk_core;
    step(ends);
  } while (was || !l.clk_core);
}

static void write_word(end *ends, int e, unsigned address, uint32_t word) {
  Vomd_link &l = ends[e].link;
  l.s_axil_awaddr = address;
  l.s_axil_wdata = word;
  l.s_axil_awvalid = l.s_axil_wvalid = 1;
  bool address_taken = false, word_taken = false, answered = false;
  for (int i = 0; i < 100 && !answered; i++) {
    bool a = l.s_axil_awvalid && l.s_axil_awready, w = l.s_axil_wvalid && l.s_axil_wready;
    answered = l.s_axil_bvalid;
    if (answered && l.s_axil_bresp) fail("a write was refused");
    core_edge(ends, e);
    address_taken |= a;
    word_taken |= w;
    if (address_taken) l.s_axil_awvalid = 0;
    if (word_taken) l.s_axil_wvalid = 0;
    l.eval();
  }
  if (!answered) fail("a write is not answered");
}

static uint32_t read_word(end *ends, int e, unsigned address) {
  Vomd_link &l = ends[e].link;
  l.s_axil_araddr = address;
  l.s_axil_arvalid = 1;
  for (int i = 0; i < 100; i++) {
    bool a = l.s_axil_arvalid && l.s_axil_arready, answered = l.s_axil_rvalid;
    uint32_t word = l.s_axil_rdata;
    if (answered && l.s_axil_rresp) fail("a read was refused");
    core_edge(ends, e);
    if (a) l.s_axil_arvalid = 0;
    l.eval();
    if (answered) return word;
  }
  fail("a read is not answered");
  return 0;
}

static void write_text(end *ends, int e, unsigned address, const bytes &text) {
  for (size_t i = 0; i < text.size(); i += 4)
    write_word(ends, e, address + i, text[i] | text[i + 1] << 8 | text[i + 2] << 16 | uint32_t(text[i + 3]) << 24);
}

static void settle(end *ends, int e) {
  for (int i = 0; read_word(ends, e, ADDRESS_STATUS) & 1; i++)
    if (i > 10000) fail("a side does not become idle");
}

static uint64_t counter(end *ends, int e, unsigned row) {
  uint64_t lower = read_word(ends, e, ADDRESS_COUNTERS + 8 * row);
  return uint64_t(read_word(ends, e, ADDRESS_COUNTERS + 8 * row + 4)) << 32 | lower;
}

int main(int argc, char **argv) {
  if (argc != 5) fail("usage: volume FRAMES LONGEST NOISE SEED");
  unsigned total = atoi(argv[1]), longest = atoi(argv[2]), noise = atoi(argv[3]);
  chance.seed(atoi(argv[4]));
  auto *ends = new end[2];
  for (int i = 0; i < 1000; i++) step(ends);
  for (int e = 0; e < 2; e++) ends[e].link.ptxt_aresetn = ends[e].link.core_aresetn = ends[e].link.ctxt_aresetn = 1;

  bytes key(BLOCK_BYTES), ids[2] = {bytes(24), bytes(24)};
  for (unsigned i = 0; i < key.size(); i++) key[i] = i;
  for (auto &id : ids)
    for (auto &byte : id) byte = chance();
  printf("%s %s\n", hex(ids[0]).c_str(), hex(ids[1]).c_str());
  for (int e = 0; e < 2; e++) {
    settle(ends, e);
    write_word(ends, e, ADDRESS_ROLE, e);
    write_text(ends, e, ADDRESS_MASTER_KEY, key);
    write_text(ends, e, ADDRESS_OWN_IDENTIFIER, ids[e]);
    write_text(ends, e, ADDRESS_PEER_IDENTIFIER, ids[1 - e]);
    write_word(ends, e, ADDRESS_CONTROL, 1);
    settle(ends, e);
  }
  uint32_t confirmation[2][4];
  for (int e = 0; e < 2; e++)
    for (int i = 0; i < 4; i++) confirmation[e][i] = read_word(ends, e, ADDRESS_OWN_CONFIRMATION + 4 * i);
  for (int e = 0; e < 2; e++) {
    for (int i = 0; i < 4; i++) write_word(ends, e, ADDRESS_PEER_CONFIRMATION + 4 * i, confirmation[1 - e][i]);
    write_word(ends, e, ADDRESS_CONTROL, 2);
    settle(ends, e);
    if (!(read_word(ends, e, ADDRESS_STATUS) & 8)) fail("a session is not confirmed");
  }

  // From A to B and from B to A: what was sent and has not come; in order.
  std::deque<bytes> sent[2];
  std::map<bytes, unsigned> open[2];
  unsigned offered[2] = {0, 0}, packets[2] = {0, 0}, received[2] = {0, 0}, expected[2] = {0, 0}, faults[2] = {0, 0};
  std::deque<bytes> held[2], of_packet[2];
  uint64_t quiet = 0;
  while (quiet < 3000000) {
    quiet++;
    for (int e = 0; e < 2; e++) {
      // No more than a few at a time, so that nothing is dropped for want of room.
      if (offered[e] < total && ends[e].plain.frames.size() < 2 && sent[e].size() < 6) {
        bytes frame(below(4) ? below(longest + 1) : below(200) % (longest + 1));
        for (size_t i = 0; i < frame.size(); i++) frame[i] = i < 8 ? offered[e] >> 8 * i : chance();
        ends[e].plain.frames.push_back({frame, false});
        sent[e].push_back(frame);
        of_packet[e].push_back(frame);
        open[e][frame]++;
        offered[e]++;
        quiet = 0;
      }
      while (!ends[e].sealed.empty()) {
        quiet = 0;
        bytes packet = ends[e].sealed.front(), frame = of_packet[e].front();
        ends[e].sealed.pop_front();
        of_packet[e].pop_front();
        if (packet.size() != frame.size() + 62) fail("a packet has another length than its frame");
        if (e == 0 && packets[e] % 500 == 0) printf("%s- %s\n", hex(frame).c_str(), hex(packet).c_str());
        packets[e]++;
        auto &to = ends[1 - e].packets.frames;
        unsigned what = below(1000);
        bool reaches = true;
        if (what < noise) {
          reaches = false;
        } else if (what < 2 * noise) {
          to.push_back({packet, false});
          to.push_back({packet, false});
        } else if (what < 3 * noise) {
          held[e].push_back(packet);
        } else if (what < 4 * noise) {
          packet[12 + below(packet.size() - 12)] ^= 1 << below(8);
          to.push_back({packet, false});
          reaches = false;
        } else if (what < 5 * noise) {
          packet.resize(1 + below(packet.size() - 1));
          to.push_back({packet, false});
          reaches = false;
        } else if (what < 6 * noise) {
          to.push_back({packet, true});
          reaches = false;
        } else {
          to.push_back({packet, false});
        }
        if (!reaches) {
          faults[e]++;
          open[e][frame]--;
          for (auto it = sent[e].begin(); it != sent[e].end(); ++it)
            if (*it == frame) {
              sent[e].erase(it);
              break;
            }
        } else {
          expected[e]++;
        }
        if (held[e].size() > 2 || (packets[e] == total && !held[e].empty()))
          while (!held[e].empty()) {
            to.push_back({held[e].back(), false});
            held[e].pop_back();
          }
      }
      while (!ends[1 - e].frames.empty()) {
        quiet = 0;
        bytes frame = ends[1 - e].frames.front();
        ends[1 - e].frames.pop_front();
        if (open[e][frame]-- == 0) fail("a frame came out that was not sent, or came out twice");
        if (noise == 0 && frame != sent[e].front()) fail("frames came out in another order");
        for (auto it = sent[e].begin(); it != sent[e].end(); ++it)
          if (*it == frame) {
            sent[e].erase(it);
            break;
          }
        received[e]++;
      }
    }
    step(ends);
  }
  for (int e = 0; e < 2; e++) {
    if (offered[e] != total || packets[e] != total) fail("not every frame was sealed");
    if (received[e] != expected[e]) fail("a frame is missing");
    if (counter(ends, e, 0) != total || counter(ends, 1 - e, OPENED) != received[e]) fail("the counters say something else");
  }
  printf("frames %u, faults %u, opened %u, units of time %llu\n", 2 * total, faults[0] + faults[1], received[0] + received[1],
         (unsigned long long)now);
  return 0;
}
