// SPDX-License-Identifier: MIT
//! The global allocator of a whole test program.

use std::alloc::{GlobalAlloc, Layout, alloc, alloc_zeroed, dealloc, realloc};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::thread;

use usermm::{Stats, UserMm};

#[global_allocator]
static GLOBAL: UserMm = UserMm;

/// Miri takes ten thousand times as long.
const STEPS: usize = if cfg!(miri) { 100 } else { 20_000 };
/// Of the largest blocks of the model. Miri takes long for each byte.
const SIZE_BITS: usize = if cfg!(miri) { 9 } else { 17 };

/// A generator of numbers that are random enough (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }

    /// A size from 1 to 2^bits, small ones more often.
    fn size(&mut self, bits: usize) -> usize {
        let shift = self.below(bits + 1);
        1 + self.below(1 << shift)
    }
}

#[test]
fn collections() {
    let list: Vec<u64> = (0..STEPS as u64).collect();
    let table: HashMap<u64, String> = list.iter().map(|i| (*i, i.to_string())).collect();
    let tree: BTreeMap<&u64, &String> = table.iter().collect();
    assert!(tree.iter().all(|(i, text)| text.parse() == Ok(**i)));
    // Other tests allocate and free meanwhile, so only what this one has is sure.
    assert!(Stats::read().allocated_bytes >= list.len() * 8);
}

/// A block of the model below, whose bytes are all `mark`.
struct Block {
    start: *mut u8,
    layout: Layout,
    mark: u8,
}

impl Block {
    fn check(&self, bytes: usize) {
        assert!(self.start.addr() % self.layout.align() == 0);
        // SAFETY: the model wrote all bytes of its blocks.
        let content = unsafe { std::slice::from_raw_parts(self.start, bytes) };
        assert!(content.iter().all(|byte| *byte == self.mark), "{:?}", self.layout);
    }

    fn fill(&self) {
        // SAFETY: the block has so many bytes.
        unsafe { self.start.write_bytes(self.mark, self.layout.size()) };
    }
}

/// A random sequence of calls against a simple model: each block keeps its bytes.
#[test]
fn model() {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let mut blocks: Vec<Block> = Vec::new();
    for step in 0..STEPS {
        let i = numbers.below(blocks.len() + 1);
        if i < blocks.len() && numbers.below(2) == 0 {
            let block = blocks.swap_remove(i);
            block.check(block.layout.size());
            // SAFETY: the block was allocated with this layout.
            unsafe { dealloc(block.start, block.layout) };
        } else if i < blocks.len() {
            let size = numbers.size(SIZE_BITS - 2);
            let block = &mut blocks[i];
            // SAFETY: the block was allocated with this layout; the size is not 0.
            block.start = unsafe { realloc(block.start, block.layout, size) };
            assert!(!block.start.is_null());
            let kept = size.min(block.layout.size());
            block.layout = Layout::from_size_align(size, block.layout.align()).unwrap();
            block.check(kept);
            block.fill();
        } else {
            let align = 1 << numbers.below(14);
            let size = numbers.size(SIZE_BITS);
            let layout = Layout::from_size_align(size, align).unwrap();
            let mut block = Block { start: std::ptr::null_mut(), layout, mark: 0 };
            // SAFETY: the layout is not empty.
            block.start =
                unsafe { if step % 3 == 0 { alloc_zeroed(layout) } else { alloc(layout) } };
            assert!(!block.start.is_null());
            if step % 3 == 0 {
                block.check(size);
            }
            block.mark = step as u8;
            block.fill();
            blocks.push(block);
        }
        if blocks.len() > 300 {
            let block = blocks.swap_remove(0);
            // SAFETY: the block was allocated with this layout.
            unsafe { dealloc(block.start, block.layout) };
        }
    }
    for block in blocks {
        block.check(block.layout.size());
        // SAFETY: the block was allocated with this layout.
        unsafe { dealloc(block.start, block.layout) };
    }
}

#[test]
fn alignments_up_to_a_gib() {
    let highest = if cfg!(any(miri, usermm_mock)) { 16 } else { 30 };
    for shift in 0..=highest {
        for size in [1, 100, 5000, 100_000] {
            let layout = Layout::from_size_align(size, 1 << shift).unwrap();
            // SAFETY: the layouts are not empty; a block is freed with the layout that it has.
            unsafe {
                let block = alloc_zeroed(layout);
                assert!(!block.is_null(), "{layout:?}");
                assert!(block.addr() % layout.align() == 0, "{layout:?}");
                block.write(1);
                block.add(size - 1).write(1);
                let block = realloc(block, layout, size * 2);
                assert!(!block.is_null() && block.addr() % layout.align() == 0);
                assert_eq!(block.read(), 1);
                dealloc(block, Layout::from_size_align(size * 2, 1 << shift).unwrap());
            }
        }
    }
}

#[test]
fn requests_that_cannot_be_met() {
    let largest = isize::MAX as usize;
    // SAFETY: the layouts are not empty.
    unsafe {
        assert!(GLOBAL.alloc(Layout::from_size_align(largest, 1).unwrap()).is_null());
        assert!(
            GLOBAL.alloc_zeroed(Layout::from_size_align(largest - 4095, 4096).unwrap()).is_null()
        );
        let layout = Layout::from_size_align(100, 8).unwrap();
        let block = GLOBAL.alloc(layout);
        block.write_bytes(7, 100);
        assert!(GLOBAL.realloc(block, layout, largest - 7).is_null());
        assert_eq!(block.add(99).read(), 7, "a block whose realloc failed is as it was");
        GLOBAL.dealloc(block, layout);
        let layout = Layout::from_size_align(100, 64).unwrap();
        let block = GLOBAL.alloc(layout);
        block.write_bytes(7, 100);
        assert!(GLOBAL.realloc(block, layout, largest - 63).is_null());
        assert_eq!(block.add(99).read(), 7, "a block whose realloc failed is as it was");
        GLOBAL.dealloc(block, layout);
    }
    let mut list: Vec<u8> = vec![1, 2, 3];
    assert!(list.try_reserve(largest).is_err());
    assert_eq!(list, [1, 2, 3]);
}

/// Rust never asks for 0 bytes, but C code by the same allocator may.
#[test]
fn blocks_of_no_bytes() {
    let layout = Layout::from_size_align(0, 8).unwrap();
    // SAFETY: usermm takes a size of 0.
    unsafe {
        let (first, second) = (GLOBAL.alloc(layout), GLOBAL.alloc(layout));
        assert!(!first.is_null() && first != second);
        GLOBAL.dealloc(first, layout);
        GLOBAL.dealloc(second, layout);
    }
    let nothing: Vec<()> = vec![(); 1000];
    assert_eq!(nothing.len(), 1000);
}

#[test]
fn threads_free_what_others_allocated() {
    let (sender, receiver) = std::sync::mpsc::sync_channel::<VecDeque<Box<[usize]>>>(4);
    let receivers = thread::spawn(move || {
        let mut sum = 0;
        for boxes in receiver {
            sum += boxes.iter().map(|own| own[0] + own.len()).sum::<usize>();
        }
        sum
    });
    let senders: Vec<_> = (0..3)
        .map(|_| {
            let sender = sender.clone();
            thread::spawn(move || {
                let mut numbers = Numbers(7);
                let mut sum = 0;
                for _ in 0..STEPS / 100 {
                    let boxes: VecDeque<Box<[usize]>> = (0..20)
                        .map(|i| vec![i; 1 + numbers.below(200)].into_boxed_slice())
                        .collect();
                    sum += boxes.iter().map(|own| own[0] + own.len()).sum::<usize>();
                    sender.send(boxes).unwrap();
                }
                sum
            })
        })
        .collect();
    drop(sender);
    let sent: usize = senders.into_iter().map(|thread| thread.join().unwrap()).sum();
    assert_eq!(sent, receivers.join().unwrap());
}
