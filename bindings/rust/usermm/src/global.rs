// SPDX-License-Identifier: MIT
//! The global allocator.

use core::alloc::{GlobalAlloc, Layout};

use crate::sys;

/// Every block has this alignment.
pub(crate) const MIN_ALIGN: usize = 16;

/// usermm's malloc as Rust's global allocator.
///
/// Blocks up to 32 KiB are objects of size classes, up to 4 MiB pages, and beyond that mappings of
/// their own. Layouts may have any size, and any alignment up to 1 GiB and more. libc's malloc(),
/// which C code in the process uses, stays libc's.
///
/// With the feature `allocator-api2`, `UserMm` is also an allocator for the collections of that
/// crate and of hashbrown.
///
/// ```
/// #[global_allocator]
/// static GLOBAL: usermm::UserMm = usermm::UserMm;
///
/// fn main() {
///     let numbers: Vec<u64> = (0..1000).collect();
///     assert_eq!(numbers.iter().sum::<u64>(), 499_500);
///     assert!(usermm::Stats::read().allocated_bytes >= 8000);
/// }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct UserMm;

impl UserMm {
    /// How many bytes of a block may be used: at least what was asked for.
    ///
    /// ```
    /// use std::alloc::{GlobalAlloc, Layout};
    /// use usermm::UserMm;
    ///
    /// let layout = Layout::from_size_align(100, 8)?;
    /// // SAFETY: the layout is not empty; the block is freed once, with the same layout.
    /// unsafe {
    ///     let block = UserMm.alloc(layout);
    ///     assert!(UserMm.usable_size(block) >= 100);
    ///     UserMm.dealloc(block, layout);
    /// }
    /// # Ok::<(), std::alloc::LayoutError>(())
    /// ```
    ///
    /// # Safety
    ///
    /// The pointer is null, or a block of this allocator.
    pub unsafe fn usable_size(&self, block: *mut u8) -> usize {
        // SAFETY: the caller promises that it is a block.
        unsafe { sys::usermm_usable_size(block.cast()) }
    }
}

// SAFETY: blocks are unique, large enough and aligned; a failure is null; nothing unwinds.
unsafe impl GlobalAlloc for UserMm {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: both functions take any size, and a layout's alignment is a power of two.
        let block = unsafe {
            if layout.align() <= MIN_ALIGN {
                sys::usermm_malloc(layout.size())
            } else {
                sys::usermm_aligned_alloc(layout.align(), layout.size())
            }
        };
        block.cast()
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.align() <= MIN_ALIGN {
            // SAFETY: the function takes any size.
            return unsafe { sys::usermm_calloc(1, layout.size()).cast() };
        }
        // SAFETY: the function takes any size, and a layout's alignment is a power of two.
        unsafe { sys::usermm_aligned_zalloc(layout.align(), layout.size()).cast() }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller promises that the block was allocated with this layout.
        unsafe {
            if layout.align() <= MIN_ALIGN {
                sys::usermm_free_sized(block.cast(), layout.size());
            } else {
                sys::usermm_free_aligned_sized(block.cast(), layout.align(), layout.size());
            }
        }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the caller promises a block of this allocator with this alignment, and a size
        // that is not 0.
        let block = unsafe {
            if layout.align() <= MIN_ALIGN {
                sys::usermm_realloc(block.cast(), new_size)
            } else {
                sys::usermm_aligned_realloc(block.cast(), layout.align(), new_size)
            }
        };
        block.cast()
    }
}
