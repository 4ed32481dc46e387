//! SHA-512's rounds and message schedule of one input, in assembly: the rounds fill the scalar
//! units and the schedule the vector ones, and both wait for nothing but each other if they are
//! written in turn, with no move between registers that the compiler would add.

use core::arch::asm;
use core::arch::x86_64::_mm_set_epi64x;

use super::super::cpu::Avx2;
use super::contract::OneWord;
use super::sha512_pairs::Pair;

/// Instruction `$k` of the next pair of words, W_t and W_{t+1}, in the place of W_{t−16}, and their
/// sums with the constants.
#[rustfmt::skip]
macro_rules! schedule {
    ([], $k:tt, $at:literal) => { "" };
    // W_{t−15} and W_{t−7}
    ([$w0:literal $w1:literal $w4:literal $w5:literal $w7:literal], 0, $at:literal) => {
        concat!(
            "vpalignr {y0}, {", $w1, "}, {", $w0, "}, 8\n",
            "vpalignr {y1}, {", $w5, "}, {", $w4, "}, 8\n"
        )
    };
    ([$w0:literal $w1:literal $w4:literal $w5:literal $w7:literal], 1, $at:literal) => {
        concat!("vpsrlq {y2}, {y0}, 1\n", "vpaddq {", $w0, "}, {", $w0, "}, {y1}\n")
    };
    // σ_0
    ([$w0:literal $w1:literal $w4:literal $w5:literal $w7:literal], 2, $at:literal) => {
        concat!("vpsllq {y1}, {y0}, 63\n", "vpshufb {y3}, {y0}, {eight}\n")
    };
    ([$w0:literal $w1:literal $w4:literal $w5:literal $w7:literal], 3, $at:literal) => {
        concat!("vpxor {y2}, {y2}, {y1}\n", "vpsrlq {y0}, {y0}, 7\n")
    };
    ([$w0:literal $w1:literal $w4:literal $w5:literal $w7:literal], 4, $at:literal) => {
        concat!("vpxor {y3}, {y3}, {y0}\n", "vpsrlq {y0}, {", $w7, "}, 19\n")
    };
    ([$w0:literal $w1:literal $w4:literal $w5:literal $w7:literal], 5, $at:literal) => {
        concat!("vpxor {y2}, {y2}, {y3}\n", "vpsllq {y1}, {", $w7, "}, 45\n")
    };
    // σ_1(W_{t−2})
    ([$w0:literal $w1:literal $w4:literal $w5:literal $w7:literal], 6, $at:literal) => {
        concat!("vpaddq {", $w0, "}, {", $w0, "}, {y2}\n", "vpxor {y0}, {y0}, {y1}\n")
    };
    ([$w0:literal $w1:literal $w4:literal $w5:literal $w7:literal], 7, $at:literal) => {
        concat!("vpsrlq {y1}, {", $w7, "}, 61\n", "vpsllq {y2}, {", $w7, "}, 3\n")
    };
    ([$w0:literal $w1:literal $w4:literal $w5:literal $w7:literal], 8, $at:literal) => {
        concat!("vpxor {y1}, {y1}, {y2}\n", "vpsrlq {y3}, {", $w7, "}, 6\n")
    };
    ([$w0:literal $w1:literal $w4:literal $w5:literal $w7:literal], 9, $at:literal) => {
        concat!("vpxor {y0}, {y0}, {y1}\n", "vpxor {y0}, {y0}, {y3}\n")
    };
    ([$w0:literal $w1:literal $w4:literal $w5:literal $w7:literal], 10, $at:literal) => {
        concat!("vpaddq {", $w0, "}, {", $w0, "}, {y0}\n")
    };
    ([$w0:literal $w1:literal $w4:literal $w5:literal $w7:literal], 11, $at:literal) => {
        concat!("vpaddq {y0}, {", $w0, "}, xmmword ptr [{k} + ", $at, "]\n",
            "vmovdqu xmmword ptr [{sums} + ", $at, "], {y0}\n")
    };
}

/// A round, with six instructions of the schedule. `$v` is b ⊕ c, and `$u` becomes a ⊕ b.
#[rustfmt::skip]
macro_rules! round {
    ([$a:literal $b:literal $c:literal $d:literal $e:literal $f:literal $g:literal $h:literal],
     $u:literal, $v:literal, $sum:literal, $w:tt, $at:literal,
     [$k0:tt $k1:tt $k2:tt $k3:tt $k4:tt $k5:tt]) => {
        concat!(
            "add {", $h, "}, qword ptr [{sums} + ", $at, " + ", $sum, "]\n",
            "rorx {t0}, {", $e, "}, 41\n",
            "rorx {t1}, {", $e, "}, 18\n",
            "xor {t0}, {t1}\n",
            schedule!($w, $k0, $at),
            "andn {t1}, {", $e, "}, {", $g, "}\n",
            "add {", $h, "}, {t1}\n",
            "mov {", $u, "}, {", $f, "}\n",
            "and {", $u, "}, {", $e, "}\n",
            schedule!($w, $k1, $at),
            "rorx {t1}, {", $e, "}, 14\n",
            "add {", $h, "}, {", $u, "}\n",
            "xor {t0}, {t1}\n",
            "mov {", $u, "}, {", $a, "}\n",
            schedule!($w, $k2, $at),
            "add {", $h, "}, {t0}\n",
            "add {", $d, "}, {", $h, "}\n",
            "rorx {t1}, {", $a, "}, 34\n",
            "rorx {t0}, {", $a, "}, 39\n",
            schedule!($w, $k3, $at),
            "xor {", $u, "}, {", $b, "}\n",
            "xor {t0}, {t1}\n",
            "and {", $v, "}, {", $u, "}\n",
            "rorx {t1}, {", $a, "}, 28\n",
            schedule!($w, $k4, $at),
            "xor {t0}, {t1}\n",
            "xor {", $v, "}, {", $b, "}\n",
            "add {t0}, {", $v, "}\n",
            "add {", $h, "}, {t0}\n",
            schedule!($w, $k5, $at),
        )
    };
}

/// Two rounds, and the pair of words that is needed 16 rounds later, if `$w` names where it is.
macro_rules! two {
    ([$a:literal $b:literal $c:literal $d:literal $e:literal $f:literal $g:literal $h:literal],
     $at:literal, $w:tt) => {
        concat!(
            round!([$a $b $c $d $e $f $g $h], "u", "v", 0, $w, $at, [0 1 2 3 4 5]),
            round!([$h $a $b $c $d $e $f $g], "v", "u", 8, $w, $at, [6 7 8 9 10 11]),
        )
    };
}

/// The order of bytes of a rotation by 8.
const EIGHT: [i64; 2] = [0x0007_0605_0403_0201, 0x080f_0e0d_0c0b_0a09];

/// The words of 16 rounds, and their sums with the constants.
pub(crate) struct MessageSchedule {
    pub(crate) w: [Pair; 8],
    pub(crate) sums: [u64; 16],
}

type V = OneWord<u64, Avx2>;

/// All rounds, with the constants `k` and the first sixteen words.
#[inline(always)]
pub(crate) fn rounds(proof: Avx2, x: &mut [V; 8], schedule: &mut MessageSchedule, k: &[u64; 80]) {
    let mut t = 16;
    while t < 80 {
        // SAFETY: `proof` is that of AVX2 and BMI2; the slice has 16 words.
        unsafe { sixteen_and_words(proof, x, schedule, &k[t..t + 16]) };
        t += 16;
        // The loop stays one: unrolled, it is more than the CPU keeps decoded.
        // SAFETY: a comment is no instruction.
        unsafe { asm!("/* {} */", inout(reg) t, options(nomem, nostack, preserves_flags)) };
    }
    // SAFETY: `proof` is that of AVX2 and BMI2.
    unsafe { sixteen(proof, x, &schedule.sums) }
}

/// Sixteen rounds, and the words of the next sixteen, with their constants `k`.
///
/// # Safety
/// The CPU must have the target features, and `k` 16 words.
#[inline]
#[target_feature(enable = "avx2,bmi2")]
unsafe fn sixteen_and_words(
    proof: Avx2,
    x: &mut [V; 8],
    schedule: &mut MessageSchedule,
    k: &[u64],
) {
    let MessageSchedule { w, sums } = schedule;
    let [mut w0, mut w1, mut w2, mut w3, mut w4, mut w5, mut w6, mut w7] = w.map(|pair| pair.0);
    let [low, high] = EIGHT;
    // SAFETY: the instructions are those of the target features; they read 16 words at `k` and at
    // `sums`, where they write 16, and change only registers that are named.
    unsafe {
        asm!(
            "mov {v}, {b}",
            "xor {v}, {c}",
            two!(["a" "b" "c" "d" "e" "f" "g" "h"], 0, ["w0" "w1" "w4" "w5" "w7"]),
            two!(["g" "h" "a" "b" "c" "d" "e" "f"], 16, ["w1" "w2" "w5" "w6" "w0"]),
            two!(["e" "f" "g" "h" "a" "b" "c" "d"], 32, ["w2" "w3" "w6" "w7" "w1"]),
            two!(["c" "d" "e" "f" "g" "h" "a" "b"], 48, ["w3" "w4" "w7" "w0" "w2"]),
            two!(["a" "b" "c" "d" "e" "f" "g" "h"], 64, ["w4" "w5" "w0" "w1" "w3"]),
            two!(["g" "h" "a" "b" "c" "d" "e" "f"], 80, ["w5" "w6" "w1" "w2" "w4"]),
            two!(["e" "f" "g" "h" "a" "b" "c" "d"], 96, ["w6" "w7" "w2" "w3" "w5"]),
            two!(["c" "d" "e" "f" "g" "h" "a" "b"], 112, ["w7" "w0" "w3" "w4" "w6"]),
            a = inout(reg) x[0].0, b = inout(reg) x[1].0, c = inout(reg) x[2].0,
            d = inout(reg) x[3].0, e = inout(reg) x[4].0, f = inout(reg) x[5].0,
            g = inout(reg) x[6].0, h = inout(reg) x[7].0,
            t0 = out(reg) _, t1 = out(reg) _, u = out(reg) _, v = out(reg) _,
            sums = in(reg) sums.as_mut_ptr(), k = in(reg) k.as_ptr(),
            w0 = inout(xmm_reg) w0, w1 = inout(xmm_reg) w1, w2 = inout(xmm_reg) w2,
            w3 = inout(xmm_reg) w3, w4 = inout(xmm_reg) w4, w5 = inout(xmm_reg) w5,
            w6 = inout(xmm_reg) w6, w7 = inout(xmm_reg) w7,
            y0 = out(xmm_reg) _, y1 = out(xmm_reg) _, y2 = out(xmm_reg) _, y3 = out(xmm_reg) _,
            eight = in(xmm_reg) _mm_set_epi64x(high, low),
            options(nostack),
        );
    }
    *w = [w0, w1, w2, w3, w4, w5, w6, w7].map(|pair| Pair(pair, proof));
}

/// The last sixteen rounds.
///
/// # Safety
/// The CPU must have the target features.
#[inline]
#[target_feature(enable = "avx2,bmi2")]
unsafe fn sixteen(_: Avx2, x: &mut [V; 8], sums: &[u64; 16]) {
    // SAFETY: the instructions are those of the target features; they read 16 words at `sums`, and
    // change only registers that are named.
    unsafe {
        asm!(
            "mov {v}, {b}",
            "xor {v}, {c}",
            two!(["a" "b" "c" "d" "e" "f" "g" "h"], 0, []),
            two!(["g" "h" "a" "b" "c" "d" "e" "f"], 16, []),
            two!(["e" "f" "g" "h" "a" "b" "c" "d"], 32, []),
            two!(["c" "d" "e" "f" "g" "h" "a" "b"], 48, []),
            two!(["a" "b" "c" "d" "e" "f" "g" "h"], 64, []),
            two!(["g" "h" "a" "b" "c" "d" "e" "f"], 80, []),
            two!(["e" "f" "g" "h" "a" "b" "c" "d"], 96, []),
            two!(["c" "d" "e" "f" "g" "h" "a" "b"], 112, []),
            a = inout(reg) x[0].0, b = inout(reg) x[1].0, c = inout(reg) x[2].0,
            d = inout(reg) x[3].0, e = inout(reg) x[4].0, f = inout(reg) x[5].0,
            g = inout(reg) x[6].0, h = inout(reg) x[7].0,
            t0 = out(reg) _, t1 = out(reg) _, u = out(reg) _, v = out(reg) _,
            sums = in(reg) sums.as_ptr(),
            options(nostack, pure, readonly),
        );
    }
}
