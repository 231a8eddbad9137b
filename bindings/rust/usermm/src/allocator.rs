// SPDX-License-Identifier: MIT
//! The trait Allocator of the crate allocator-api2, for all that is a `GlobalAlloc`.

use core::alloc::{GlobalAlloc, Layout};
use core::ptr::{NonNull, slice_from_raw_parts_mut, without_provenance_mut};

use allocator_api2::alloc::{AllocError, Allocator};

use crate::global::UserMm;
use crate::heap::Heap;

fn block(start: *mut u8, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
    NonNull::new(slice_from_raw_parts_mut(start, layout.size())).ok_or(AllocError)
}

fn allocate(
    allocator: &impl GlobalAlloc,
    layout: Layout,
    zeroed: bool,
) -> Result<NonNull<[u8]>, AllocError> {
    let start = match layout.size() {
        // A block of no bytes is an aligned address, and no memory.
        0 => without_provenance_mut(layout.align()),
        // SAFETY: the layout is not empty.
        _ if zeroed => unsafe { allocator.alloc_zeroed(layout) },
        // SAFETY: as above.
        _ => unsafe { allocator.alloc(layout) },
    };
    block(start, layout)
}

/// # Safety
///
/// The block fits the layout.
unsafe fn deallocate(allocator: &impl GlobalAlloc, start: NonNull<u8>, layout: Layout) {
    if layout.size() != 0 {
        // SAFETY: the block fits the layout, which is not empty.
        unsafe { allocator.dealloc(start.as_ptr(), layout) };
    }
}

/// Changes a block's size and alignment. `zeroed`: new bytes are zero.
///
/// # Safety
///
/// The block fits the old layout.
unsafe fn resize(
    allocator: &impl GlobalAlloc,
    start: NonNull<u8>,
    old: Layout,
    new: Layout,
    zeroed: bool,
) -> Result<NonNull<[u8]>, AllocError> {
    if old.size() == 0 || new.size() == 0 || old.align() != new.align() {
        let to = allocate(allocator, new, zeroed)?;
        let bytes = old.size().min(new.size());
        // SAFETY: both blocks have that many bytes, and they are two. The old one fits its layout.
        unsafe {
            start.as_ptr().copy_to_nonoverlapping(to.cast().as_ptr(), bytes);
            deallocate(allocator, start, old);
        }
        return Ok(to);
    }
    // SAFETY: neither layout is empty, and the block fits the old one.
    let to = block(unsafe { allocator.realloc(start.as_ptr(), old, new.size()) }, new)?;
    if zeroed && new.size() > old.size() {
        let more = new.size() - old.size();
        // SAFETY: the new block has these bytes behind the old ones.
        unsafe { to.cast::<u8>().add(old.size()).write_bytes(0, more) };
    }
    Ok(to)
}

macro_rules! allocators {
    ($($type:ty)*) => {
        $(
            // SAFETY: blocks stay valid until they are freed, or the allocator and all of its
            // copies are gone.
            unsafe impl Allocator for $type {
                #[inline]
                fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
                    allocate(self, layout, false)
                }

                #[inline]
                fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
                    allocate(self, layout, true)
                }

                #[inline]
                unsafe fn deallocate(&self, start: NonNull<u8>, layout: Layout) {
                    // SAFETY: the caller promises that the block fits the layout.
                    unsafe { deallocate(self, start, layout) }
                }

                unsafe fn grow(
                    &self,
                    start: NonNull<u8>,
                    old: Layout,
                    new: Layout,
                ) -> Result<NonNull<[u8]>, AllocError> {
                    // SAFETY: the caller promises that the block fits the old layout.
                    unsafe { resize(self, start, old, new, false) }
                }

                unsafe fn grow_zeroed(
                    &self,
                    start: NonNull<u8>,
                    old: Layout,
                    new: Layout,
                ) -> Result<NonNull<[u8]>, AllocError> {
                    // SAFETY: the caller promises that the block fits the old layout.
                    unsafe { resize(self, start, old, new, true) }
                }

                unsafe fn shrink(
                    &self,
                    start: NonNull<u8>,
                    old: Layout,
                    new: Layout,
                ) -> Result<NonNull<[u8]>, AllocError> {
                    // SAFETY: the caller promises that the block fits the old layout.
                    unsafe { resize(self, start, old, new, false) }
                }
            }
        )*
    };
}

allocators! { UserMm Heap }
