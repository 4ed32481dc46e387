// SPDX-License-Identifier: Apache-2.0 OR MIT
// Counts toggles of a netlist, in 512 traces at once, by group of nets: see leakage.py.
//
//   leakage NETLIST TRACES SEED masked|unmasked SUMS
//
// Each net is a vector of traces, of four classes in turn: three have what is fixed, the last is random. A gate is computed one
// unit of time after an input has changed, and each change is a toggle: so glitches count, as the delays of the netlist make them.
// Writes to SUMS, for each cycle, each group and last all nets, the sums of x, x^2, x^3, x^4 of each class, as doubles that are
// exact. x is a trace's toggles less an offset, by a first batch that is the same for all seeds and is not counted.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

static const int WORDS = 8, LANES = 64 * WORDS, CLASSES = 4, FIXED = 3, POWERS = 4, PLANES = 16;
typedef uint64_t V __attribute__((vector_size(8 * WORDS)));
typedef uint16_t Numbers __attribute__((vector_size(32)));
typedef uint16_t Few __attribute__((vector_size(2 * CLASSES)));
typedef double Sums __attribute__((vector_size(8 * CLASSES)));

static const V ZERO = {}, ONES = ~ZERO;
static const uint64_t FIRST_CLASS = 0x1111111111111111;   // a lane's class is its number modulo CLASSES

static uint64_t splitmix(uint64_t &x) {
    uint64_t z = x += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static uint64_t seed;
static V drawn() {
    V x;
    for (int w = 0; w < WORDS; w++) x[w] = splitmix(seed);
    return x;
}

struct Gate { int kind, a, b, s, out; };
struct Flop { int d, enable, q; };
// A stream, or what is put in with `start`: a beat has bits in two shares, which are '0', '1' or drawn ('-') in each class of
// `fixed`, and public ones.
struct Stream {
    int valid, ready;
    std::vector<int> shares[2], open;
    std::vector<std::string> fixed[FIXED], shown;
};

// Toggles of a group, in bit planes. A plane's second bit waits for a third.
struct Counter {
    V plane[PLANES], held[PLANES];
    bool holds[PLANES];
    int used;

    void clear() {
        memset(holds, 0, sizeof holds);
        for (int k = 0; k < used; k++) plane[k] = ZERO;
        used = 0;
    }
    void count(V x) {
        for (int k = 0;; k++) {
            if (k >= used) plane[used++] = ZERO;
            if (!holds[k]) {
                held[k] = x;
                holds[k] = true;
                return;
            }
            V half = plane[k] ^ held[k], sum = half ^ x, carry = (plane[k] & held[k]) | (half & x);
            plane[k] = sum;
            holds[k] = false;
            x = carry;
        }
    }
    // Adds each trace's number to x.
    void add_to(Numbers *x) {
        for (int k = 0; k < used; k++)
            if (holds[k]) {
                V carry = held[k];
                for (int j = k; j < PLANES; j++) {
                    if (j >= used) plane[used++] = ZERO;
                    V c = plane[j] & carry;
                    plane[j] ^= carry;
                    carry = c;
                    bool more = false;
                    for (int w = 0; w < WORDS; w++) more |= carry[w] != 0;
                    if (!more) break;
                }
            }
        Numbers bit;
        for (int i = 0; i < 16; i++) bit[i] = uint16_t(1 << i);
        for (int k = 0; k < used; k++) {
            uint16_t pieces[LANES / 16];
            memcpy(pieces, &plane[k], sizeof pieces);
            for (int i = 0; i < LANES / 16; i++) x[i] += (Numbers)((pieces[i] & bit) == bit) & uint16_t(1 << k);
        }
    }
};

template <typename T> static T next(std::istream &in) {
    T x;
    in >> x;
    return x;
}
template <typename T = int> static std::vector<T> list(std::istream &in, size_t n) {
    std::vector<T> x(n);
    for (T &one : x) in >> one;
    return x;
}

int main(int, char **argv) {
    std::ifstream in(argv[1]);
    const int batches = (atoi(argv[2]) + LANES - 1) / LANES;
    const bool masked = argv[4] == std::string("masked");

    const int nets = next<int>(in), cycles = next<int>(in), reset = next<int>(in), random_valid = next<int>(in);
    const int groups = next<int>(in);
    const std::vector<int> group_of = list(in, nets);     // less than 0: not counted
    const std::vector<int> high = list(in, next<int>(in)), random_nets = list(in, next<int>(in));
    std::vector<Stream> streams(next<int>(in));
    for (Stream &s : streams) {
        s.valid = next<int>(in), s.ready = next<int>(in);
        const int bits = next<int>(in), open = next<int>(in), beats = next<int>(in);
        for (auto &share : s.shares) share = list(in, bits);
        s.open = list(in, open);
        for (auto &of_class : s.fixed) of_class = list<std::string>(in, beats);
        s.shown = list<std::string>(in, open ? beats : 0);
    }
    const int out_valid = next<int>(in), out_bits = next<int>(in);
    const std::vector<int> out_shares[2] = {list(in, out_bits), list(in, out_bits)};
    std::vector<Flop> flops(next<int>(in));
    for (Flop &f : flops) in >> f.d >> f.enable >> f.q;
    std::vector<Gate> gates(next<int>(in));
    for (Gate &g : gates) in >> g.kind >> g.a >> g.b >> g.s >> g.out;
    if (!in) {
        std::cerr << "not a netlist\n";
        return 2;
    }

    std::vector<std::vector<int>> reads(nets);            // the gates that a net goes to
    for (size_t i = 0; i < gates.size(); i++)
        for (int x : {gates[i].a, gates[i].b, gates[i].s}) reads[x].push_back(int(i));
    std::vector<V> net(nets, ZERO), next_q(flops.size()), made(gates.size());
    net[1] = ONES;
    std::vector<Counter> counters(groups);
    std::vector<uint32_t> due_at(gates.size(), 1);
    std::vector<int> due, computed;
    uint32_t now = 1;
    for (size_t i = 0; i < gates.size(); i++) due.push_back(int(i));  // at first no net is what its gate makes

    auto put = [&](int where, V x) {
        const V toggles = net[where] ^ x;
        uint64_t any = 0;
        for (int w = 0; w < WORDS; w++) any |= toggles[w];
        if (where < 2 || !any) return;
        if (group_of[where] >= 0) counters[group_of[where]].count(toggles);
        net[where] = x;
        for (int g : reads[where])
            if (due_at[g] != now) due_at[g] = now, due.push_back(g);
    };
    auto settle = [&] {
        while (!due.empty()) {
            now++;
            computed.swap(due);
            due.clear();
            for (size_t i = 0; i < computed.size(); i++) {
                const Gate &g = gates[computed[i]];
                const V a = net[g.a], b = net[g.b];
                switch (g.kind) {
                    case 0: made[i] = ~a; break;
                    case 1: made[i] = a & b; break;
                    case 2: made[i] = a | b; break;
                    case 3: made[i] = a ^ b; break;
                    case 4: { V s = net[g.s]; made[i] = (s & b) | (~s & a); break; }
                    default: made[i] = a;
                }
            }
            for (size_t i = 0; i < computed.size(); i++) put(gates[computed[i]].out, made[i]);
        }
        now++;
    };

    const int columns = groups + 1;                       // and all
    std::vector<double> offset(size_t(cycles) * columns, 0);
    std::vector<Sums> sums(size_t(cycles) * columns * POWERS, Sums{});
    Numbers every[LANES / 16], x[LANES / 16];
    for (int batch = -1; batch < batches; batch++) {
        if (batch < 1) seed = batch < 0 ? 1 : strtoull(argv[3], 0, 10);
        std::vector<int> beat(streams.size(), 0), shown(streams.size(), -1), taken(streams.size(), 0);
        for (int cycle = -3; cycle < cycles; cycle++) {
            for (Counter &c : counters) c.clear();
            // The edge: what the registers take, and what comes in.
            for (size_t i = 0; i < flops.size(); i++) {
                const V e = net[flops[i].enable];
                next_q[i] = (e & net[flops[i].d]) | (~e & net[flops[i].q]);
            }
            for (size_t i = 0; i < streams.size(); i++)
                taken[i] = cycle > 0 && shown[i] >= 0 && (net[streams[i].ready][0] & 1);
            for (size_t i = 0; i < flops.size(); i++) put(flops[i].q, next_q[i]);
            put(reset, cycle < -1 ? ONES : ZERO);
            put(random_valid, ONES);
            for (int y : high) put(y, ONES);
            for (int y : random_nets) put(y, masked ? drawn() : ZERO);
            for (size_t i = 0; i < streams.size(); i++) {
                Stream &s = streams[i];
                if (taken[i]) beat[i]++, shown[i] = -1;
                if (cycle < 0 || beat[i] == int(s.fixed[0].size())) {
                    put(s.valid, ZERO);
                } else if (shown[i] < 0) {
                    shown[i] = beat[i];
                    put(s.valid, ONES);
                    for (size_t j = 0; j < s.shares[0].size(); j++) {
                        V secret = drawn(), mask = masked ? drawn() : ZERO;
                        for (int c = 0; c < FIXED; c++) {
                            const char bit = s.fixed[c][beat[i]][j];
                            const V lanes = ONES & (FIRST_CLASS << c);
                            if (bit != '-') secret = (secret & ~lanes) | (bit == '1' ? lanes : ZERO);
                        }
                        put(s.shares[0][j], secret ^ mask);
                        put(s.shares[1][j], mask);
                    }
                    for (size_t j = 0; j < s.open.size(); j++) put(s.open[j], s.shown[beat[i]][j] == '1' ? ONES : ZERO);
                }
            }
            settle();
            if (cycle < 0) continue;
            if (batch < 0 && (net[out_valid][0] & 1)) {
                for (int i = 0; i < out_bits; i++) putchar('0' + ((net[out_shares[0][i]] ^ net[out_shares[1][i]])[0] & 1));
                putchar('\n');
            }
            memset(every, 0, sizeof every);
            for (int g = 0; g < columns; g++) {
                const size_t at = size_t(cycle) * columns + g;
                if (g < groups) {
                    if (!counters[g].used && !offset[at]) continue;
                    memset(x, 0, sizeof x);
                    counters[g].add_to(x);
                    for (int i = 0; i < LANES / 16; i++) every[i] += x[i];
                }
                Few of_lanes[LANES / CLASSES];
                memcpy(of_lanes, g < groups ? x : every, sizeof of_lanes);
                Sums sum[POWERS] = {};
                for (const Few &of : of_lanes) {
                    const Sums y = __builtin_convertvector(of, Sums) - offset[at], y2 = y * y;
                    sum[0] += y, sum[1] += y2, sum[2] += y2 * y, sum[3] += y2 * y2;
                }
                if (batch < 0) {
                    for (int c = 0; c < CLASSES; c++) offset[at] += sum[0][c] / LANES;
                    offset[at] = std::round(offset[at]);
                } else {
                    for (int p = 0; p < POWERS; p++) sums[at * POWERS + p] += sum[p];
                }
            }
        }
        for (size_t i = 0; i < streams.size(); i++)
            if (beat[i] != int(streams[i].fixed[0].size())) {
                std::cerr << "a stream was not taken\n";
                return 2;
            }
    }
    FILE *file = fopen(argv[5], "wb");
    const bool written = file && fwrite(sums.data(), sizeof(Sums), sums.size(), file) == sums.size();
    return written && !fclose(file) ? 0 : 2;
}
