// SPDX-License-Identifier: MIT
//! The global allocator.

use core::alloc::{GlobalAlloc, Layout};
use core::cmp::min;
use core::ptr;

use crate::sys;

/// Every block has this alignment.
const MIN_ALIGN: usize = 16;

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
        // SAFETY: the caller promises what alloc() asks for. The block has the layout's size.
        unsafe {
            let block = self.alloc(layout);
            if !block.is_null() {
                ptr::write_bytes(block, 0, layout.size());
            }
            block
        }
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
        if layout.align() <= MIN_ALIGN {
            // SAFETY: the caller promises a block of this allocator, and a size that is not 0.
            return unsafe { sys::usermm_realloc(block.cast(), new_size).cast() };
        }
        // SAFETY: the caller promises that new_size fits a layout with this alignment, and that the
        // block was allocated with the old layout. Both blocks have the bytes that are copied.
        unsafe {
            let new = self.alloc(Layout::from_size_align_unchecked(new_size, layout.align()));
            if !new.is_null() {
                ptr::copy_nonoverlapping(block, new, min(layout.size(), new_size));
                self.dealloc(block, layout);
            }
            new
        }
    }
}

#[cfg(feature = "allocator-api2")]
mod api2 {
    use core::alloc::{GlobalAlloc, Layout};
    use core::ptr::{NonNull, slice_from_raw_parts_mut, without_provenance_mut};

    use allocator_api2::alloc::{AllocError, Allocator};

    use super::UserMm;

    fn block(start: *mut u8, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        NonNull::new(slice_from_raw_parts_mut(start, layout.size())).ok_or(AllocError)
    }

    /// A block of no bytes is an aligned address, and no memory.
    fn nothing(layout: Layout) -> *mut u8 {
        without_provenance_mut(layout.align())
    }

    impl UserMm {
        /// Changes a block's size. `zeroed`: new bytes are zero.
        ///
        /// # Safety
        ///
        /// The block fits the old layout.
        unsafe fn resize(
            &self,
            start: NonNull<u8>,
            old: Layout,
            new: Layout,
            zeroed: bool,
        ) -> Result<NonNull<[u8]>, AllocError> {
            if old.size() == 0 {
                return if zeroed { self.allocate_zeroed(new) } else { self.allocate(new) };
            }
            if new.size() == 0 {
                // SAFETY: the block fits the old layout, which is not empty.
                unsafe { self.dealloc(start.as_ptr(), old) };
                return block(nothing(new), new);
            }
            if old.align() != new.align() {
                let to = self.allocate(new)?;
                let bytes = old.size().min(new.size());
                // SAFETY: both blocks have that many bytes, and they are two.
                unsafe {
                    start.as_ptr().copy_to_nonoverlapping(to.cast().as_ptr(), bytes);
                    self.dealloc(start.as_ptr(), old);
                }
                // SAFETY: the new block has the bytes behind the old ones.
                unsafe { clear_behind(to.cast().as_ptr(), old, new, zeroed) };
                return Ok(to);
            }
            // SAFETY: neither layout is empty, and the block fits the old one.
            let to = unsafe { self.realloc(start.as_ptr(), old, new.size()) };
            let to = block(to, new)?;
            // SAFETY: the new block has the bytes behind the old ones.
            unsafe { clear_behind(to.cast().as_ptr(), old, new, zeroed) };
            Ok(to)
        }
    }

    /// # Safety
    ///
    /// The block has the new layout.
    unsafe fn clear_behind(start: *mut u8, old: Layout, new: Layout, zeroed: bool) {
        if zeroed && new.size() > old.size() {
            // SAFETY: these bytes are in the new layout.
            unsafe { start.add(old.size()).write_bytes(0, new.size() - old.size()) };
        }
    }

    // SAFETY: blocks stay valid until they are freed, whoever has a copy of UserMm.
    unsafe impl Allocator for UserMm {
        #[inline]
        fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
            if layout.size() == 0 {
                return block(nothing(layout), layout);
            }
            // SAFETY: the layout is not empty.
            block(unsafe { self.alloc(layout) }, layout)
        }

        #[inline]
        fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
            if layout.size() == 0 {
                return block(nothing(layout), layout);
            }
            // SAFETY: the layout is not empty.
            block(unsafe { self.alloc_zeroed(layout) }, layout)
        }

        #[inline]
        unsafe fn deallocate(&self, start: NonNull<u8>, layout: Layout) {
            if layout.size() != 0 {
                // SAFETY: the caller promises that the block fits the layout.
                unsafe { self.dealloc(start.as_ptr(), layout) };
            }
        }

        unsafe fn grow(
            &self,
            start: NonNull<u8>,
            old: Layout,
            new: Layout,
        ) -> Result<NonNull<[u8]>, AllocError> {
            // SAFETY: the caller promises that the block fits the old layout.
            unsafe { self.resize(start, old, new, false) }
        }

        unsafe fn grow_zeroed(
            &self,
            start: NonNull<u8>,
            old: Layout,
            new: Layout,
        ) -> Result<NonNull<[u8]>, AllocError> {
            // SAFETY: the caller promises that the block fits the old layout.
            unsafe { self.resize(start, old, new, true) }
        }

        unsafe fn shrink(
            &self,
            start: NonNull<u8>,
            old: Layout,
            new: Layout,
        ) -> Result<NonNull<[u8]>, AllocError> {
            // SAFETY: the caller promises that the block fits the old layout.
            unsafe { self.resize(start, old, new, false) }
        }
    }
}
