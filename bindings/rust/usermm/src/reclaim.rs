// SPDX-License-Identifier: MIT
//! Giving memory back, and scopes that limit what a thread's requests may do.

use core::ffi::c_uint;
use core::marker::PhantomData;
use core::ptr::null_mut;

use crate::sys;

/// Gives unused memory back to the system, but for `keep_bytes` of free blocks. Answers how many
/// bytes went back.
///
/// ```
/// drop(usermm::PageBlock::uninit(10).fill(1));
/// println!("{} bytes went back", usermm::trim(0));
/// ```
pub fn trim(keep_bytes: usize) -> usize {
    // SAFETY: the call has no conditions.
    unsafe { sys::usermm_trim(keep_bytes) }
}

/// Gives the pages that CPUs keep back to the buddy lists.
///
/// ```
/// drop(usermm::PageBlock::zeroed(0));
/// usermm::drain();
/// assert_eq!(usermm::Stats::read().pcp_bytes, 0);
/// ```
pub fn drain() {
    // SAFETY: null means every zone.
    unsafe { sys::drain_all_pages(null_mut()) };
}

/// A part of a thread's run in which all its requests are limited. Dropping it ends that part.
///
/// Scopes may lie inside each other; the inner one ends first.
///
/// ```
/// let scope = usermm::no_io();
/// let block = usermm::PageBlock::zeroed(0); // starts no I/O, whatever its flags say
/// drop(scope);
/// ```
#[derive(Debug)]
#[must_use = "the scope ends where it is dropped"]
pub struct Scope {
    saved: c_uint,
    restore: unsafe fn(c_uint),
    // It is of this thread.
    thread: PhantomData<*mut ()>,
}

impl Drop for Scope {
    fn drop(&mut self) {
        // SAFETY: the value is what the scope's start saved, in this thread.
        unsafe { (self.restore)(self.saved) };
    }
}

macro_rules! scopes {
    ($($(#[doc = $doc:literal])* $name:ident: $save:ident, $restore:ident;)*) => {
        $(
            $(#[doc = $doc])*
            ///
            /// ```
            #[doc = concat!("let scope = usermm::", stringify!($name), "();")]
            /// let block = usermm::PageBlock::zeroed(0);
            /// drop(scope);
            /// ```
            pub fn $name() -> Scope {
                unsafe fn restore(saved: c_uint) {
                    // SAFETY: the caller promises what the function asks for.
                    unsafe { sys::$restore(saved) }
                }

                // SAFETY: the scope restores what is saved here.
                let saved = unsafe { sys::$save() };
                Scope { saved, restore, thread: PhantomData }
            }
        )*
    };
}

scopes! {
    /// This thread's requests start no I/O and call into no file system.
    no_io: memalloc_noio_save, memalloc_noio_restore;
    /// This thread's requests call into no file system.
    no_fs: memalloc_nofs_save, memalloc_nofs_restore;
    /// This thread's requests reclaim nothing, and may use the reserves.
    no_reclaim: memalloc_noreclaim_save, memalloc_noreclaim_restore;
    /// This thread's requests get no movable pages.
    pinned: memalloc_pin_save, memalloc_pin_restore;
}
