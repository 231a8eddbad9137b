// SPDX-License-Identifier: MIT
//! `usermm/gfp.h`: what a request may do to succeed, and what its pages are for.
//!
//! The values are part of the ABI of the library's soname.

use core::ffi::c_uint;

/// An OR of `__GFP_` and `GFP_` values.
#[allow(non_camel_case_types)]
pub type gfp_t = c_uint;

macro_rules! flags {
    ($($(#[doc = $doc:literal])* $name:ident = $value:expr;)*) => {
        $($(#[doc = $doc])* pub const $name: gfp_t = $value;)*
        /// Each name with its value, in the header's order: for tests.
        pub const GFP_NAMES: &[(&str, gfp_t)] = &[$((stringify!($name), $name)),*];
    };
}

flags! {
    /// Zone DMA.
    __GFP_DMA = 0x1;
    /// Zone HighMem; no effect.
    __GFP_HIGHMEM = 0x2;
    /// Zone DMA32.
    __GFP_DMA32 = 0x4;
    /// The pages can be moved or reclaimed.
    __GFP_MOVABLE = 0x8;
    /// Shrinkers can free the objects.
    __GFP_RECLAIMABLE = 0x10;
    /// May use part of the reserve.
    __GFP_HIGH = 0x20;
    /// May start I/O to reclaim.
    __GFP_IO = 0x40;
    /// May call into file systems to reclaim.
    __GFP_FS = 0x80;
    /// The memory is zero.
    __GFP_ZERO = 0x100;
    /// May wait for reclaim.
    __GFP_DIRECT_RECLAIM = 0x400;
    /// Wakes the background thread if memory is low.
    __GFP_KSWAPD_RECLAIM = 0x800;
    /// Both kinds of reclaim.
    __GFP_RECLAIM = __GFP_DIRECT_RECLAIM | __GFP_KSWAPD_RECLAIM;
    /// The page will be written soon.
    __GFP_WRITE = 0x1000;
    /// A failure is not reported.
    __GFP_NOWARN = 0x2000;
    /// Tries hard, but may fail.
    __GFP_RETRY_MAYFAIL = 0x4000;
    /// Never fails; only with `__GFP_DIRECT_RECLAIM`.
    __GFP_NOFAIL = 0x8000;
    /// Fails rather than retry.
    __GFP_NORETRY = 0x10000;
    /// May use all of the reserve.
    __GFP_MEMALLOC = 0x20000;
    /// A compound page.
    __GFP_COMP = 0x40000;
    /// Leaves the reserve alone; overrides `__GFP_MEMALLOC`.
    __GFP_NOMEMALLOC = 0x80000;
    /// Obeys the cpuset; no effect.
    __GFP_HARDWALL = 0x100000;
    /// From the named node alone.
    __GFP_THISNODE = 0x200000;
    /// Accounted to the memory cgroup.
    __GFP_ACCOUNT = 0x400000;
    /// Zeroes memory tags; no effect.
    __GFP_ZEROTAGS = 0x800000;
    /// Accepted, no effect.
    __GFP_SKIP_ZERO = 0x1000000;
    /// Accepted, no effect.
    __GFP_SKIP_KASAN = 0x2000000;
    /// Accepted, no effect.
    __GFP_NOLOCKDEP = 0x4000000;
    /// Accepted, no effect.
    __GFP_NO_OBJ_EXT = 0x8000000;
    /// Must not wait; may use part of the reserve.
    GFP_ATOMIC = __GFP_HIGH | __GFP_KSWAPD_RECLAIM;
    /// May reclaim and wait: the normal choice.
    GFP_KERNEL = __GFP_RECLAIM | __GFP_IO | __GFP_FS;
    /// `GFP_KERNEL`, accounted.
    GFP_KERNEL_ACCOUNT = GFP_KERNEL | __GFP_ACCOUNT;
    /// Must not wait; a failure is not reported.
    GFP_NOWAIT = __GFP_KSWAPD_RECLAIM | __GFP_NOWARN;
    /// May wait, but starts no I/O.
    GFP_NOIO = __GFP_RECLAIM;
    /// May wait and start I/O, but calls into no file system.
    GFP_NOFS = __GFP_RECLAIM | __GFP_IO;
    /// For user space.
    GFP_USER = __GFP_RECLAIM | __GFP_IO | __GFP_FS | __GFP_HARDWALL;
    /// Zone DMA.
    GFP_DMA = __GFP_DMA;
    /// Zone DMA32.
    GFP_DMA32 = __GFP_DMA32;
    /// For user space, from any zone.
    GFP_HIGHUSER = GFP_USER | __GFP_HIGHMEM;
    /// `GFP_HIGHUSER` for pages that can be moved.
    GFP_HIGHUSER_MOVABLE = GFP_HIGHUSER | __GFP_MOVABLE | __GFP_SKIP_KASAN;
    /// Huge pages, without reclaim.
    GFP_TRANSHUGE_LIGHT = (GFP_HIGHUSER_MOVABLE | __GFP_COMP | __GFP_NOMEMALLOC | __GFP_NOWARN)
        & !__GFP_RECLAIM;
    /// Huge pages.
    GFP_TRANSHUGE = GFP_TRANSHUGE_LIGHT | __GFP_DIRECT_RECLAIM;
}
