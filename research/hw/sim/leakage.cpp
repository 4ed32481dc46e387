// SPDX-License-Identifier: Apache-2.0 OR MIT
// Counts toggles of a netlist, in 256 traces at once, and compares two groups of them: see leakage.py.
//
//   leakage NETLIST TRACES SEED masked|unmasked
//
// Each net is a vector of 256 traces; every other one has the fixed inputs. A gate's output is computed at each time after the
// clock's edge at which it can change, and each change is a toggle: so glitches count, as the delays of the netlist make them.
// Toggles of a cycle are added in bit planes, and their sums and sums of squares taken from these: exact.
// Prints a line for each cycle: the t of Welch's test, and the toggles of both groups on average.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

typedef uint64_t V __attribute__((vector_size(32)));

static const V ZERO = {0, 0, 0, 0}, ONES = ~ZERO;
static const uint64_t FIXED = 0x5555555555555555;         // the traces with the fixed inputs
static const int PLANES = 16;

static uint64_t splitmix(uint64_t &x) {
    uint64_t z = x += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static uint64_t seed;
static V drawn() { return V{splitmix(seed), splitmix(seed), splitmix(seed), splitmix(seed)}; }

struct Gate { int kind, a, b, s, out, counted; };
struct Flop { int d, enable, q; };
// A stream, or what is put in with `start`: a beat has bits in two shares, which are `fixed` in half of the traces, and public
// ones.
struct Stream {
    int valid, ready;
    std::vector<int> shares[2], open;
    std::vector<std::string> fixed, shown;
};

static std::vector<V> net, next_q, made;
static V plane[PLANES], held[PLANES];
static bool holds[PLANES];

static inline void count(V x) {
    for (int k = 0; k < PLANES; k++) {
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

// The held value is added last, so that the planes are the number.
static void settle_count() {
    for (int k = 0; k < PLANES; k++)
        if (holds[k]) {
            V carry = held[k];
            holds[k] = false;
            for (int j = k; j < PLANES; j++) {
                V c = plane[j] & carry;
                plane[j] ^= carry;
                carry = c;
            }
        }
}

static uint64_t ones(V x, uint64_t of) {
    uint64_t n = 0;
    for (int i = 0; i < 4; i++) n += __builtin_popcountll(x[i] & of);
    return n;
}

int main(int, char **argv) {
    std::ifstream in(argv[1]);
    const int batches = (atoi(argv[2]) + 255) / 256;
    seed = strtoull(argv[3], 0, 10);
    const bool masked = argv[4] == std::string("masked");

    int nets, n_flops, n_steps, n_random, n_streams, cycles, reset, random_valid;
    in >> nets >> cycles >> reset >> random_valid;
    net.assign(nets, ZERO);
    net[1] = ONES;
    std::vector<int> high;                                // inputs that are always 1
    int n_high;
    in >> n_high;
    high.resize(n_high);
    for (int &x : high) in >> x;
    in >> n_random;
    std::vector<int> random_nets(n_random);
    for (int &x : random_nets) in >> x;
    in >> n_streams;
    std::vector<Stream> streams(n_streams);
    for (Stream &s : streams) {
        int bits, open, beats;
        in >> s.valid >> s.ready >> bits >> open >> beats;
        s.shares[0].resize(bits);
        s.shares[1].resize(bits);
        s.open.resize(open);
        for (auto *nets_of : {&s.shares[0], &s.shares[1], &s.open})
            for (int &x : *nets_of) in >> x;
        s.fixed.resize(beats);
        s.shown.resize(beats);
        for (auto &beat : s.fixed) in >> beat;
        if (open)
            for (auto &beat : s.shown) in >> beat;
    }
    int out_valid, out_bits;
    in >> out_valid >> out_bits;
    std::vector<int> out_shares[2];
    for (auto &share : out_shares) {
        share.resize(out_bits);
        for (int &x : share) in >> x;
    }
    in >> n_flops;
    std::vector<Flop> flops(n_flops);
    for (Flop &f : flops) in >> f.d >> f.enable >> f.q;
    in >> n_steps;
    std::vector<std::vector<Gate>> steps(n_steps);
    for (auto &step : steps) {
        int n;
        in >> n;
        step.resize(n);
        for (Gate &g : step) in >> g.kind >> g.a >> g.b >> g.s >> g.out >> g.counted;
    }
    if (!in) {
        std::cerr << "not a netlist\n";
        return 2;
    }
    size_t most = 0;
    for (auto &step : steps) most = std::max(most, step.size());
    made.assign(most, ZERO);
    std::vector<const Gate *> which(most);
    next_q.assign(n_flops, ZERO);

    std::vector<uint64_t> sum[2], squares[2];
    for (int g = 0; g < 2; g++) {
        sum[g].assign(cycles, 0);
        squares[g].assign(cycles, 0);
    }

    // A gate is computed when an input has changed a step ago: most of what could change does not.
    std::vector<uint32_t> changed(nets, 0);
    uint32_t now = 1;
    auto put = [&](int where, V x, bool counted = true) {
        const V toggles = net[where] ^ x;
        if (where < 2 || !(toggles[0] | toggles[1] | toggles[2] | toggles[3])) return;
        if (counted) count(toggles);
        net[where] = x;
        changed[where] = now;
    };
    auto settle = [&](bool all) {
        for (auto &step : steps) {
            now++;
            size_t n = 0;
            for (const Gate &g : step) {
                const uint32_t last = now - 1;
                if (!all && changed[g.a] != last && changed[g.b] != last && changed[g.s] != last) continue;
                const V a = net[g.a], b = net[g.b];
                V z;
                switch (g.kind) {
                    case 0: z = ~a; break;
                    case 1: z = a & b; break;
                    case 2: z = a | b; break;
                    case 3: z = a ^ b; break;
                    case 4: { V s = net[g.s]; z = (s & b) | (~s & a); break; }
                    default: z = a;
                }
                made[n] = z;
                which[n++] = &g;
            }
            for (size_t i = 0; i < n; i++) put(which[i]->out, made[i], which[i]->counted);
        }
        now++;
    };
    auto edge = [&] {
        for (size_t i = 0; i < flops.size(); i++) {
            const Flop &f = flops[i];
            const V e = net[f.enable];
            next_q[i] = (e & net[f.d]) | (~e & net[f.q]);
        }
    };

    for (int batch = 0; batch < batches; batch++) {
        std::vector<int> beat(streams.size(), 0), shown(streams.size(), -1), taken(streams.size(), 0);
        for (int cycle = -3; cycle < cycles; cycle++) {
            for (int k = 0; k < PLANES; k++) plane[k] = ZERO, holds[k] = false;
            // The edge: what the registers take, and what comes in.
            edge();
            for (size_t i = 0; i < streams.size(); i++)
                taken[i] = cycle > 0 && shown[i] >= 0 && (net[streams[i].ready][0] & 1);
            for (size_t i = 0; i < flops.size(); i++) put(flops[i].q, next_q[i]);
            if (reset >= 0) put(reset, cycle < -1 ? ONES : ZERO);
            if (random_valid >= 0) put(random_valid, ONES);
            for (int x : high) put(x, ONES);
            for (int x : random_nets) put(x, masked ? drawn() : ZERO);
            for (size_t i = 0; i < streams.size(); i++) {
                Stream &s = streams[i];
                if (taken[i]) beat[i]++, shown[i] = -1;
                if (cycle < 0 || beat[i] == int(s.fixed.size())) {
                    put(s.valid, ZERO);
                } else if (shown[i] < 0) {
                    shown[i] = beat[i];
                    put(s.valid, ONES);
                    for (size_t j = 0; j < s.shares[0].size(); j++) {
                        V x = drawn(), mask = masked ? drawn() : ZERO;
                        for (int w = 0; w < 4; w++) x[w] = (x[w] & ~FIXED) | (s.fixed[beat[i]][j] == '1' ? FIXED : 0);
                        put(s.shares[0][j], x ^ mask);
                        put(s.shares[1][j], mask);
                    }
                    for (size_t j = 0; j < s.open.size(); j++) put(s.open[j], s.shown[beat[i]][j] == '1' ? ONES : ZERO);
                }
            }
            settle(batch == 0 && cycle < 0);                  // at first no net is what its gate makes
            settle_count();
            if (cycle < 0) continue;
            if (batch == 0 && (net[out_valid][0] & 1)) {
                printf("out ");
                for (int i = 0; i < out_bits; i++) putchar('0' + ((net[out_shares[0][i]] ^ net[out_shares[1][i]])[0] & 1));
                putchar('\n');
            }
            for (int g = 0; g < 2; g++) {
                const uint64_t of = g ? ~FIXED : FIXED;
                uint64_t total = 0, total_squares = 0;
                for (int k = 0; k < PLANES; k++) {
                    total += ones(plane[k], of) << k;
                    total_squares += ones(plane[k], of) << 2 * k;
                    for (int l = 0; l < k; l++) total_squares += ones(plane[k] & plane[l], of) << (k + l + 1);
                }
                sum[g][cycle] += total;
                squares[g][cycle] += total_squares;
            }
        }
        for (size_t i = 0; i < streams.size(); i++)
            if (beat[i] != int(streams[i].fixed.size())) {
                std::cerr << "a stream was not taken\n";
                return 2;
            }
    }

    const double n = 128.0 * batches;
    for (int c = 0; c < cycles; c++) {
        double mean[2], of_mean = 0;
        for (int g = 0; g < 2; g++) {
            mean[g] = sum[g][c] / n;
            of_mean += (squares[g][c] - sum[g][c] * mean[g]) / (n - 1) / n;
        }
        const double t = of_mean > 0 ? (mean[0] - mean[1]) / std::sqrt(of_mean) : mean[0] == mean[1] ? 0 : INFINITY;
        printf("%.4f %.2f %.2f\n", t, mean[0], mean[1]);
    }
}
