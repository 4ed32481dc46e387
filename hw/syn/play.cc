// Plays one session of sim/stimulus.py to a netlist, and compares what comes out: `play DIRECTORY`.
//
// The netlist is a model by yosys (model.cc) of omd_core (LANES = 1) or omd_lanes (4). Every stream is valid whenever it has
// a beat, and the receiver is always ready. Prints the number of beats that were as they must be, or fails at the first
// that is not.

#include "model.cc"

#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

constexpr size_t N = BYTES, B = 8 * BYTES;
using cxxrtl::value;
using cxxrtl::wire;

template <size_t W> value<W> &bits(value<W> &x) { return x; }
template <size_t W> value<W> &bits(wire<W> &x) { return x.curr; }

// `width` bits from bit `at`, as hexadecimal.
template <size_t W> void put(value<W> &x, size_t at, size_t width, const std::string &hex) {
  for (size_t i = 0; i < width; i++) {
    size_t digit = i / 4, bit = at + i;
    unsigned v = digit < hex.size() ? std::stoul(hex.substr(hex.size() - 1 - digit, 1), nullptr, 16) : 0;
    auto &chunk = x.data[bit / 32];
    chunk = (chunk & ~(1u << bit % 32)) | ((v >> i % 4 & 1u) << bit % 32);
  }
}

template <size_t W> unsigned get(const value<W> &x, size_t bit) { return x.data[bit / 32] >> bit % 32 & 1; }

template <size_t W> std::string hex(const value<W> &x, size_t width) {
  std::string s;
  for (size_t i = (width + 3) / 4; i-- > 0;)
    s += "0123456789abcdef"[x.data[i / 8] >> 4 * (i % 8) & 15];
  return s;
}

struct Beat {
  std::string data, keep;
  int last = 0, user = 0;
};

struct Stream {
  std::vector<Beat> beats;
  size_t next = 0;
  explicit Stream(const std::string &path) {
    std::ifstream file(path);
    std::string line;
    while (std::getline(file, line)) {
      std::istringstream fields(line);
      int session;
      Beat beat;
      fields >> session >> beat.data >> beat.keep >> beat.last >> beat.user;
      beats.push_back(beat);
    }
  }
  bool valid() const { return next < beats.size(); }
  Beat now() const { return valid() ? beats[next] : Beat{}; }
};

int main(int, char **arguments) {
  cxxrtl_design::TOP top;
  std::string directory = std::string(arguments[1]) + "/";
  Stream key(directory + "key.txt");
  std::vector<Stream> s, ad, given, m;
  for (int l = 0; l < LANES; l++) {
    std::string file = std::to_string(l) + ".txt";
    s.emplace_back(directory + "s" + file);
    ad.emplace_back(directory + "ad" + file);
    given.emplace_back(directory + "given" + file);
    m.emplace_back(directory + "m" + file);
  }
  auto flag = [](auto &port, size_t at, bool on) { put(bits(port), at, 1, on ? "1" : "0"); };
  flag(top.p_zeroise, 0, false);
  flag(top.p_m__axis__tready, 0, true);
  int beats = 0, done = 0;
  for (int cycle = 0; done < LANES; cycle++) {
    if (cycle == 100000) {
      std::cerr << "no end after " << beats << " beats\n";
      return 1;
    }
    flag(top.p_rst, 0, cycle < 10);
    put(bits(top.p_s__key__tdata), 0, N, key.now().data);
    flag(top.p_s__key__tvalid, 0, key.valid());
    for (int l = 0; l < LANES; l++) {
      Beat a = ad[l].now(), b = s[l].now();
      put(bits(top.p_s__ad__tdata), 2 * B * l, 2 * B, a.data);
      put(bits(top.p_s__ad__tkeep), 2 * N * l, 2 * N, a.keep);
      flag(top.p_s__ad__tlast, l, a.last);
      flag(top.p_s__ad__tvalid, l, ad[l].valid());
      put(bits(top.p_s__axis__tdata), B * l, B, b.data);
      put(bits(top.p_s__axis__tkeep), N * l, N, b.keep);
      flag(top.p_s__axis__tlast, l, b.last);
      flag(top.p_s__axis__tuser, l, b.user);
      flag(top.p_s__axis__tvalid, l, s[l].valid());
      if (l == 0 && given[l].valid())
        put(bits(top.p_l__star), 0, B, given[l].now().data);
      put(bits(top.p_tag__a), B * l, B, given[l].now().keep);
    }
    flag(top.p_clk, 0, false);
    top.step();
    bool run = cycle >= 10;
    bool key_goes = run && key.valid() && get(bits(top.p_s__key__tready), 0);
    std::vector<bool> ad_goes, s_goes;
    for (int l = 0; l < LANES; l++) {
      ad_goes.push_back(run && ad[l].valid() && get(bits(top.p_s__ad__tready), l));
      s_goes.push_back(run && s[l].valid() && get(bits(top.p_s__axis__tready), l));
    }
    if (run && get(bits(top.p_m__axis__tvalid), 0)) {
      int l = 0;
#if LANES > 1
      l = get(bits(top.p_m__axis__tid), 0) + 2 * get(bits(top.p_m__axis__tid), 1);
#endif
      Beat want = m[l].now();
      int last = get(bits(top.p_m__axis__tlast), 0);
      int user = get(bits(top.p_m__axis__tuser), 0) + 2 * get(bits(top.p_m__axis__tuser), 1);
      if (hex(bits(top.p_m__axis__tdata), B) != want.data || hex(bits(top.p_m__axis__tkeep), N) != want.keep ||
          last != want.last || user != want.user) {
        std::cerr << "lane " << l << ", beat " << m[l].next << ": " << hex(bits(top.p_m__axis__tdata), B) << " "
                  << hex(bits(top.p_m__axis__tkeep), N) << " " << last << " " << user << ", not " << want.data << " "
                  << want.keep << " " << want.last << " " << want.user << "\n";
        return 1;
      }
      m[l].next++;
      beats++;
      given[l].next += last;
      done += !m[l].valid();
    }
    flag(top.p_clk, 0, true);
    top.step();
    key.next += key_goes;
    for (int l = 0; l < LANES; l++) {
      ad[l].next += ad_goes[l];
      s[l].next += s_goes[l];
    }
  }
  std::cout << beats << "\n";
}
