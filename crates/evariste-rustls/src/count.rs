//! For tests: how much went through this crate. Without the feature `count` nothing is counted.

#[cfg(feature = "count")]
pub use counting::{Counts, counts};

/// What can be counted.
#[derive(Clone, Copy)]
pub(crate) enum Event {
    RecordSealed,
    RecordOpened,
    PacketSealed,
    PacketOpened,
    HeaderMasked,
}

/// Not in the product: an atomic counter takes as long as the rest of this crate's part of a short packet.
#[cfg(not(feature = "count"))]
#[inline(always)]
pub(crate) fn count(_: Event) {}

#[cfg(feature = "count")]
pub(crate) use counting::count;

#[cfg(feature = "count")]
mod counting {
    use super::Event;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    static COUNTERS: [AtomicU64; 5] = [const { AtomicU64::new(0) }; 5];

    /// How much went through this crate since the process began, of all connections.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct Counts {
        /// Records of TLS that were sealed.
        pub records_sealed: u64,
        /// Records of TLS that were opened and authentic.
        pub records_opened: u64,
        /// Packets of QUIC that were sealed.
        pub packets_sealed: u64,
        /// Packets of QUIC that were opened and authentic.
        pub packets_opened: u64,
        /// Headers of QUIC packets that were protected or laid open.
        pub headers_masked: u64,
    }

    /// How much went through this crate so far. Only with the feature `count`.
    pub fn counts() -> Counts {
        let of = |event: Event| COUNTERS[event as usize].load(Relaxed);
        Counts {
            records_sealed: of(Event::RecordSealed),
            records_opened: of(Event::RecordOpened),
            packets_sealed: of(Event::PacketSealed),
            packets_opened: of(Event::PacketOpened),
            headers_masked: of(Event::HeaderMasked),
        }
    }

    pub(crate) fn count(event: Event) {
        COUNTERS[event as usize].fetch_add(1, Relaxed);
    }
}
