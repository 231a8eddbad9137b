// SPDX-License-Identifier: MIT
//! Counts of the allocators.

use core::fmt;
use core::ops::Deref;

use crate::sys;

/// Counts of the allocators, read at one time: the fields of
/// [`usermm_stats`](sys::usermm_stats).
///
/// While other threads allocate, the counts may not fit together exactly.
///
/// ```
/// let before = usermm::Stats::read();
/// let block = usermm::PageBlock::zeroed(10);
/// let stats = usermm::Stats::read();
/// assert!(stats.allocated_bytes >= before.allocated_bytes + block.len());
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Stats(sys::usermm_stats);

impl Stats {
    /// Reads all counts. It may wait for a lock, so signal handlers must not call it.
    ///
    /// ```
    /// println!("{:#?}", usermm::Stats::read());
    /// ```
    pub fn read() -> Self {
        /// A library that is linked may be newer, and have fields that this crate does not know.
        #[repr(C)]
        struct Room {
            stats: sys::usermm_stats,
            more: [usize; 64],
        }

        let mut room = Room { stats: sys::usermm_stats::default(), more: [0; 64] };
        // SAFETY: there is room for the structure. The pointer is to all of the room.
        unsafe { sys::usermm_stats_read((&raw mut room).cast()) };
        let Room { stats, more: _ } = room;
        Self(stats)
    }

    /// Each count by its name, for exporters.
    ///
    /// ```
    /// let stats = usermm::Stats::read();
    /// assert!(stats.fields().any(|(name, _)| name == "allocated_bytes"));
    /// ```
    pub fn fields(&self) -> impl Iterator<Item = (&'static str, usize)> + use<> {
        self.0.fields()
    }
}

/// The counts are the fields of the C structure.
impl Deref for Stats {
    type Target = sys::usermm_stats;

    fn deref(&self) -> &sys::usermm_stats {
        &self.0
    }
}

impl fmt::Debug for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = f.debug_struct("Stats");
        for (name, value) in self.fields() {
            fields.field(name, &value);
        }
        fields.finish()
    }
}
