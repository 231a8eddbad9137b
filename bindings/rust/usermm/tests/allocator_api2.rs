// SPDX-License-Identifier: MIT
//! UserMm as an allocator of the crate allocator-api2.
#![cfg(feature = "allocator-api2")]

use std::alloc::Layout;

use allocator_api2::alloc::Allocator;
use allocator_api2::boxed::Box;
use allocator_api2::vec::Vec;
use usermm::{Heap, UserMm};

#[test]
fn collections() {
    let mut list = Vec::new_in(UserMm);
    list.extend(0..10_000_u32);
    assert_eq!(list.iter().sum::<u32>(), 49_995_000);
    list.truncate(3);
    list.shrink_to_fit();
    assert_eq!(list.as_slice(), [0, 1, 2]);
    let boxed = Box::new_in([7_u8; 100], UserMm);
    assert_eq!(boxed[99], 7);
    assert!(Vec::<u8, _>::new_in(UserMm).try_reserve(isize::MAX as usize).is_err());
}

#[test]
fn blocks_of_no_bytes() {
    let empty = Layout::from_size_align(0, 64).unwrap();
    let full = Layout::from_size_align(100, 64).unwrap();
    let block = UserMm.allocate(empty).unwrap();
    assert!(block.cast::<u8>().addr().get() % 64 == 0 && block.is_empty());
    // SAFETY: each call gets the block and the layout that the one before gave.
    unsafe {
        let block = UserMm.grow_zeroed(block.cast(), empty, full).unwrap();
        assert!(block.as_ref().iter().all(|byte| *byte == 0));
        let block = UserMm.shrink(block.cast(), full, empty).unwrap();
        let block = UserMm.grow(block.cast(), empty, full).unwrap();
        assert_eq!(block.len(), 100);
        UserMm.deallocate(block.cast(), full);
        UserMm.deallocate(UserMm.allocate_zeroed(empty).unwrap().cast(), empty);
    }
}

/// A block that gets these sizes and alignments in turn keeps its bytes.
fn resize(allocator: &impl Allocator, layouts: &[(usize, usize)]) {
    let layouts: std::vec::Vec<_> = layouts
        .iter()
        .map(|(size, align)| Layout::from_size_align(*size, *align).unwrap())
        .collect();
    let mut block = allocator.allocate_zeroed(layouts[0]).unwrap();
    for pair in layouts.windows(2) {
        let (old, new) = (pair[0], pair[1]);
        // SAFETY: the block has the old layout, whose bytes were written.
        unsafe {
            block.cast::<u8>().write_bytes(7, old.size());
            block = if new.size() < old.size() {
                allocator.shrink(block.cast(), old, new).unwrap()
            } else {
                allocator.grow_zeroed(block.cast(), old, new).unwrap()
            };
            assert!(block.cast::<u8>().addr().get() % new.align() == 0);
            let kept = old.size().min(new.size());
            assert!(block.as_ref()[..kept].iter().all(|byte| *byte == 7));
            assert!(block.as_ref()[kept..].iter().all(|byte| *byte == 0));
        }
    }
    // SAFETY: the block has the last layout.
    unsafe { allocator.deallocate(block.cast(), layouts[layouts.len() - 1]) };
}

#[test]
fn sizes_and_alignments_change() {
    let layouts = [(10, 8), (1000, 8), (1000, 256), (90_000, 4096), (90_001, 4096), (50, 1)];
    let heap = Heap::new("resized");
    resize(&UserMm, &layouts);
    resize(&heap, &layouts);
    assert_eq!(heap.stats().blocks, 0);
}

#[cfg(not(any(miri, usermm_mock)))]
#[test]
fn alignments_up_to_a_gibibyte() {
    let layouts = [(100, 16), (100, 1 << 30), (5000, 1 << 30), (40, 1 << 21), (1 << 20, 1 << 25)];
    let heap = Heap::new("wide");
    resize(&UserMm, &layouts);
    resize(&heap, &layouts);
    assert_eq!(heap.stats().blocks, 0);
}
