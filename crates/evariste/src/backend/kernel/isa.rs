//! From instructions to a backend: two macros that every architecture uses.
//!
//! `#[target_feature]` is not allowed on the methods of a safe trait, so [`isa!`] wraps each operation of
//! an ISA in a small function that has the features, and [`entries!`] does the same for the operations of
//! a backend. The latter are the only places where a call crosses into code with features; all between
//! is inlined.

/// Implements a trait of `kernel` for an ISA's token. Each operation is compiled with the features; the
/// items in brackets are taken as they are.
macro_rules! isa {
    (
        impl $trait:ident for $name:ident with $features:literal [ $($item:item)* ]
        $( $op:ident($($a:ident: $t:ty),*) -> $r:ty { $($body:tt)* } )*
    ) => {
        impl $trait for $name {
            $($item)*
            $(
                #[inline(always)]
                fn $op(self, $($a: $t),*) -> $r {
                    #[inline]
                    #[target_feature(enable = $features)]
                    fn $op($($a: $t),*) -> $r { $($body)* }
                    // SAFETY: `self` is the proof that the CPU has these features.
                    unsafe { $op($($a),*) }
                }
            )*
        }
    };
}

/// An argument that is used stays one, so that all others are where the method had them: a jump from there instead of
/// eight moves and a load (of 216 instructions for 64 bytes of GCM).
macro_rules! keep_argument {
    ($i:ident) => {
        // SAFETY: the template is a comment.
        unsafe { core::arch::asm!("/* {0} */", in(reg) core::ptr::from_ref($i).addr(), options(nomem, nostack, preserves_flags)) }
    };
}

/// Defines operations of a backend: the entry point of a kernel, compiled with the features. With
/// `by rounds of`, one instance per key length.
macro_rules! entries {
    ($name:ident with $features:literal;) => {};
    (
        $name:ident with $features:literal;
        fn $f:ident($($a:ident: $t:ty),*) $(-> $r:ty)? = $kernel:ident::<NR $(, $generic:literal)*> by rounds of $key:ident $(. $aes:ident)?;
        $($rest:tt)*
    ) => {
        fn $f(&self, $($a: $t),*) $(-> $r)? {
            #[target_feature(enable = $features)]
            fn entry<const NR: usize>(i: $name, $($a: $t),*) $(-> $r)? { $kernel::<$name, NR $(, $generic)*>(i, $($a),*) }
            // SAFETY: `self` is the proof that the CPU has these features.
            unsafe {
                match $key $(. $aes)? .rounds {
                    10 => entry::<10>(*self, $($a),*),
                    12 => entry::<12>(*self, $($a),*),
                    _ => entry::<14>(*self, $($a),*),
                }
            }
        }
        entries! { $name with $features; $($rest)* }
    };
    (
        $name:ident with $features:literal;
        fn $f:ident($key:ident: &[u8] $(, $a:ident: $t:ty)*) -> $r:ty = $kernel:ident::<NK>;
        $($rest:tt)*
    ) => {
        fn $f(&self, $key: &[u8] $(, $a: $t)*) -> $r {
            #[target_feature(enable = $features)]
            fn entry<const NK: usize>(i: $name, $key: &[u8] $(, $a: $t)*) { $kernel::<$name, NK>(i, $key $(, $a)*) }
            // SAFETY: `self` is the proof that the CPU has these features.
            unsafe {
                match $key.len() {
                    16 => entry::<4>(*self, $key $(, $a)*),
                    24 => entry::<6>(*self, $key $(, $a)*),
                    32 => entry::<8>(*self, $key $(, $a)*),
                    _ => return Err(crate::KeyError::Length),
                }
            }
            Ok(())
        }
        entries! { $name with $features; $($rest)* }
    };
    (
        $name:ident with $features:literal;
        fn $f:ident($($a:ident: $t:ty),*) $(-> $r:ty)? = $kernel:path;
        $($rest:tt)*
    ) => {
        fn $f(&self, $($a: $t),*) $(-> $r)? {
            #[target_feature(enable = $features)]
            fn entry(i: &$name, $($a: $t),*) $(-> $r)? {
                crate::backend::kernel::isa::keep_argument!(i);
                $kernel(*i, $($a),*)
            }
            // SAFETY: `self` is the proof that the CPU has these features.
            unsafe { entry(self, $($a),*) }
        }
        entries! { $name with $features; $($rest)* }
    };
}

/// [`Cipher`](crate::backend::Cipher) for an ISA with AES rounds.
macro_rules! cipher {
    ($name:ident with $features:literal, stride $n:literal, lanes $lanes:literal $chains:literal) => {
        impl crate::backend::Cipher for $name {
            fn lanes_have_keys(&self) -> bool { true }
            fn ctr32(&self, key: &AesKey, ctr: &mut Counter, data: InOut<'_, Block>) {
                self.ctr(key, ctr, data.into_bytes(), &mut [0; 16]);
            }
            entries! { $name with $features;
                fn expand(key: &[u8], out: &mut AesKey) -> Result<(), crate::KeyError> = expand::<NK>;
                fn expand_decrypt(key: &AesKey, out: &mut AesKey) = expand_decrypt;
                fn encrypt(key: &AesKey, blocks: &mut [Block]) = ecb::<$name, $n, false>;
                fn decrypt(key: &AesKey, blocks: &mut [Block]) = ecb::<$name, $n, true>;
                fn ctr(key: &AesKey, counter: &mut Counter, data: InOut<'_>, rest: &mut Block) = ctr::<$name, $n>;
                fn ctr32_le(key: &AesKey, ctr: &mut Block, data: InOut<'_, Block>) = ctr32_le::<$name, $n>;
                fn cbc_mac(key: &AesKey, mac: &mut Block, blocks: &[Block]) = cbc_mac::<NR> by rounds of key;
                fn ccm_seal(key: &AesKey, mac: &mut Block, ctr: Block, data: InOut<'_, Block>) = ccm::<NR, true> by rounds of key;
                fn ccm_open(key: &AesKey, mac: &mut Block, ctr: Block, data: InOut<'_, Block>) = ccm::<NR, false> by rounds of key;
                fn ccm_lanes(lanes: &mut Lanes<'_>, feeds: &mut Feeds<'_>) = ccm_lanes::<$name, $lanes, $chains>;
            }
        }
    };
}

/// [`Hash`](crate::backend::Hash) for an ISA with carry-less multiplication.
macro_rules! hash {
    ($name:ident with $features:literal, stride $n:literal) => {
        impl crate::backend::Hash for $name {
            entries! { $name with $features;
                fn hash_key(h: u128, blocks: usize, out: &mut HashKey) = hash_key;
                fn ghash(key: &HashKey, acc: &mut u128, blocks: &[Block]) = ghash::<$name, $n>;
                fn polyval(key: &HashKey, acc: &mut u128, blocks: &[Block]) = polyval::<$name, $n>;
            }
        }
    };
}

/// [`Imp`](crate::backend::Imp) for an ISA with both.
macro_rules! backend {
    ($name:ident $label:literal with $features:literal, stride $n:literal, short $short:literal, few $few:literal) => {
        impl Isa for $name {
            const SHORT: usize = $short;
            const FEW: usize = $few;

            #[inline(always)]
            fn chunks<const SEAL: bool>(&self, key: &GcmKey, iv: &[u8; 12], aad: &[u8], data: &mut [u8]) -> u128 {
                #[inline(never)]
                #[target_feature(enable = $features)]
                fn outlined<const SEAL: bool>(i: &$name, key: &GcmKey, iv: &[u8; 12], aad: &[u8], data: &mut [u8]) -> u128 {
                    crate::backend::kernel::isa::keep_argument!(i);
                    crate::backend::kernel::message::chunks::<$name, SEAL>(*i, key, iv, aad, data)
                }
                // SAFETY: `self` is the proof that the CPU has these features.
                unsafe { outlined::<SEAL>(self, key, iv, aad, data) }
            }

            #[cfg(debug_assertions)]
            fn apart<R>(&self, part: impl FnOnce() -> R) -> R {
                #[inline(never)]
                #[target_feature(enable = $features)]
                fn outlined<R>(part: impl FnOnce() -> R) -> R { part() }
                // SAFETY: `self` is the proof that the CPU has these features.
                unsafe { outlined(part) }
            }
        }

        impl crate::backend::Imp for $name {
            fn name(&self) -> &'static str { $label }
            fn short(&self, key: &HashKey) -> usize { crate::backend::kernel::message::short_of::<$name>(key) }
            fn stride(&self, key: &HashKey) -> usize { if has_stride::<$name, $n>(key) { $n * <$name as Vector>::BLOCKS } else { 0 } }
            entries! { $name with $features;
                fn complete(key: &mut HashKey, blocks: usize) = complete;
                fn gcm_key(key: &[u8], blocks: usize, out: &mut GcmKey) -> Result<(), crate::KeyError> = gcm_key::<NK>;
                fn seal_strides(key: &GcmKey, ctr: &mut Counter, acc: &mut u128, data: InOut<'_, Block>) = crypt::<NR, $n, true> by rounds of key.aes;
                fn open_strides(key: &GcmKey, ctr: &mut Counter, acc: &mut u128, data: InOut<'_, Block>) = crypt::<NR, $n, false> by rounds of key.aes;
                fn seal_short(key: &GcmKey, iv: &[u8; 12], aad: &[u8], data: &mut [u8]) -> u128 = short::<$name, true>;
                fn open_short(key: &GcmKey, iv: &[u8; 12], aad: &[u8], data: &mut [u8]) -> u128 = short::<$name, false>;
                fn mac(key: &GcmKey, iv: &[u8; 12], aad: &[u8]) -> u128 = mac::<$name, $n>;
                fn siv_open_strides(enc: &AesKey, auth: &HashKey, ctr: &mut Block, acc: &mut u128, data: InOut<'_, Block>) -> usize = siv_strides::<$name, $n>;
                fn siv(key: &AesKey, nonce: &[u8; 12], aad: &[u8], data: InOut<'_>, tag: Option<&Block>) -> u128 = siv::<$name>;
                fn seal_long(key: &GcmKey, iv: &[u8; 12], aad: &[u8], data: InOut<'_>) -> u128 = long::<$name, $n, true>;
                fn open_long(key: &GcmKey, iv: &[u8; 12], aad: &[u8], data: InOut<'_>) -> u128 = long::<$name, $n, false>;
            }
        }
    };
}

/// The backend of an ISA that has byte shuffles only: AES of few blocks by its rounds, of many by bits, GHASH by its
/// module `field`.
macro_rules! by_shuffles {
    ($name:ident $label:literal with $features:literal, schedule $schedule:ident) => {
        impl crate::backend::Imp for $name {
            fn name(&self) -> &'static str {
                $label
            }
        }

        impl crate::backend::Cipher for $name {
            fn ctr32(&self, key: &AesKey, ctr: &mut Counter, data: InOut<'_, Block>) {
                self.ctr(key, ctr, data.into_bytes(), &mut [0; 16]);
            }
            entries! { $name with $features;
                fn expand(key: &[u8], out: &mut AesKey) -> Result<(), crate::KeyError> = $schedule::<NK>;
                fn expand_decrypt(key: &AesKey, out: &mut AesKey) = expand_decrypt;
                fn encrypt(key: &AesKey, blocks: &mut [Block]) = ecb_many::<$name, false>;
                fn decrypt(key: &AesKey, blocks: &mut [Block]) = ecb_many::<$name, true>;
                fn ctr(key: &AesKey, counter: &mut Counter, data: InOut<'_>, rest: &mut Block) = ctr_many;
                fn ctr32_le(key: &AesKey, ctr: &mut Block, data: InOut<'_, Block>) = ctr32_le_many;
                fn cbc_mac(key: &AesKey, mac: &mut Block, blocks: &[Block]) = cbc_mac::<NR> by rounds of key;
                fn ccm_seal(key: &AesKey, mac: &mut Block, ctr: Block, data: InOut<'_, Block>) = ccm::<NR, true> by rounds of key;
                fn ccm_open(key: &AesKey, mac: &mut Block, ctr: Block, data: InOut<'_, Block>) = ccm::<NR, false> by rounds of key;
            }
        }

        impl crate::backend::Hash for $name {
            entries! { $name with $features;
                fn hash_key(h: u128, blocks: usize, out: &mut HashKey) = field::hash_key;
                fn ghash(key: &HashKey, acc: &mut u128, blocks: &[Block]) = field::absorb::<true>;
                fn polyval(key: &HashKey, acc: &mut u128, blocks: &[Block]) = field::absorb::<false>;
            }
        }
    };
}

pub(crate) use {backend, by_shuffles, cipher, entries, hash, isa, keep_argument};
