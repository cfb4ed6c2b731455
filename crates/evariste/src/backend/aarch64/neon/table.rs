//! AES on one block: the S-box as a table in sixteen registers, of which TBL picks bytes.
//!
//! No index goes to memory: the table is loaded whole, and TBL takes the same time for all indices.

use super::{V, load128};
use crate::Block;
use crate::backend::kernel::aes::shift_rows;
use core::arch::aarch64::*;

/// SUBBYTES and SHIFTROWS (FIPS 197 §5.1.1, §5.1.2).
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn sub_shift(s: V) -> V {
    vqtbl1q_u8(look_up(&SBOX, s), load128(&SHIFT_ROWS))
}

/// SUBBYTES.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn sub(s: V) -> V {
    look_up(&SBOX, s)
}

/// INVSUBBYTES and INVSHIFTROWS (§5.3.1, §5.3.2).
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn inv_sub_shift(s: V) -> V {
    vqtbl1q_u8(look_up(&INV_SBOX, s), load128(&INV_SHIFT_ROWS))
}

/// SUBBYTES, SHIFTROWS, MIXCOLUMNS (§5.1.3) and ADDROUNDKEY.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn round(s: V, k: V) -> V {
    let s = look_up(&SBOX, s);
    mix(vqtbl1q_u8(s, load128(&SHIFT_ROWS)), vqtbl1q_u8(s, load128(&SHIFT_ROWS_UP)), k)
}

/// INVMIXCOLUMNS (§5.3.3), which is MIXCOLUMNS of a + {04}(a + a″): {0e}, {0b}, {0d}, {09} are {02}, {03}, {01},
/// {01} times {05}, 0, {04}, 0.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn inv_mix(s: V, k: V) -> V {
    let s = veorq_u8(s, double(double(veorq_u8(s, two_below(s)))));
    mix(s, vqtbl1q_u8(s, load128(&UP)), k)
}

/// MIXCOLUMNS of a, given a′.
///
/// With a′, a″, a‴ for the bytes below a, {02}a + {03}a′ + a″ + a‴ = {02}(a + a′) + a′ + (a″ + a‴).
#[inline]
#[target_feature(enable = "neon")]
fn mix(a: V, below: V, k: V) -> V {
    let sum = veorq_u8(a, below);
    // The doubled sum is ready last.
    veorq_u8(veorq_u8(veorq_u8(below, k), two_below(sum)), double(sum))
}

/// For each byte the one two below it in its column.
#[inline]
#[target_feature(enable = "neon")]
fn two_below(s: V) -> V {
    vreinterpretq_u8_u16(vrev32q_u16(vreinterpretq_u16_u8(s)))
}

/// XTIMES (§4.2) of each byte.
#[inline]
#[target_feature(enable = "neon")]
fn double(s: V) -> V {
    let carry = vreinterpretq_u8_s8(vshrq_n_s8::<7>(vreinterpretq_s8_u8(s)));
    veorq_u8(vshlq_n_u8::<1>(s), vandq_u8(carry, vdupq_n_u8(0x1b)))
}

/// For each byte its entry. TBL gives 0 beyond the 64 bytes it takes; four of them side by side take less time
/// than TBX, which waits for the one before.
#[inline]
#[target_feature(enable = "neon")]
fn look_up(table: &[u8; 256], s: V) -> V {
    let part = |n: usize| {
        let at = |m: usize| load128(&table.as_chunks().0[4 * n + m]);
        vqtbl4q_u8(uint8x16x4_t(at(0), at(1), at(2), at(3)), veorq_u8(s, vdupq_n_u8(64 * n as u8)))
    };
    veorq_u8(veorq_u8(part(0), part(1)), veorq_u8(part(2), part(3)))
}

static SHIFT_ROWS: Block = shift_rows(1, 0);
static SHIFT_ROWS_UP: Block = shift_rows(1, 1);
static UP: Block = shift_rows(0, 1);
static INV_SHIFT_ROWS: Block = shift_rows(3, 0);

static SBOX: [u8; 256] = sbox();
static INV_SBOX: [u8; 256] = inverse();

/// FIPS 197 §5.1.1. {03} generates all but 0, and {f6} is its inverse: when one comes round, so does the other.
const fn sbox() -> [u8; 256] {
    let mut table = [0x63; 256];
    let (mut x, mut inverse) = (1u8, 1u8);
    loop {
        let i = inverse;
        table[x as usize] = 0x63 ^ i ^ i.rotate_left(1) ^ i.rotate_left(2) ^ i.rotate_left(3) ^ i.rotate_left(4);
        // Times {03}.
        x ^= (x << 1) ^ (0x1b * (x >> 7));
        // Divided by it: 1/(1 + x) is the sum of all powers of x, as far as there are any in eight bits.
        inverse ^= inverse << 1;
        inverse ^= inverse << 2;
        inverse ^= inverse << 4;
        inverse ^= 0x09 * (inverse >> 7);
        if x == 1 {
            return table;
        }
    }
}

const fn inverse() -> [u8; 256] {
    let (sbox, mut table) = (sbox(), [0; 256]);
    let mut x = 0;
    while x < 256 {
        table[sbox[x] as usize] = x as u8;
        x += 1;
    }
    table
}
