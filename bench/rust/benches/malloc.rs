// SPDX-License-Identifier: MIT
//! The global allocators: pairs, streams, vectors that grow, and blocks that another thread frees.

use std::alloc::{GlobalAlloc, Layout};
use std::hint::black_box;
use std::sync::mpsc::sync_channel;
use std::thread;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use usermm_bench::PEERS;

const STREAM: usize = 10_000;

/// Allocates, touches and frees one block.
fn pairs(criterion: &mut Criterion) {
    for size in [16, 64, 256, 1024, 16384] {
        let layout = Layout::from_size_align(size, 8).expect("a layout");
        let mut group = criterion.benchmark_group(format!("pair-{size}"));
        for peer in &PEERS {
            group.bench_function(peer.name, |bencher| {
                // SAFETY: the layout is not empty; the block is freed with it.
                bencher.iter(|| unsafe {
                    let block = black_box(peer.allocator.alloc(black_box(layout)));
                    block.write(1);
                    peer.allocator.dealloc(block, layout);
                });
            });
        }
    }
}

/// Allocates many blocks, then frees them.
fn streams(criterion: &mut Criterion) {
    for size in [64, 1024] {
        let layout = Layout::from_size_align(size, 8).expect("a layout");
        let mut group = criterion.benchmark_group(format!("stream-{size}"));
        group.throughput(Throughput::Elements(STREAM as u64));
        let mut blocks = vec![std::ptr::null_mut(); STREAM];
        for peer in &PEERS {
            group.bench_function(peer.name, |bencher| {
                // SAFETY: the layout is not empty; the blocks are freed with it.
                bencher.iter(|| unsafe {
                    for block in &mut blocks {
                        *block = peer.allocator.alloc(layout);
                    }
                    for block in &blocks {
                        peer.allocator.dealloc(*block, layout);
                    }
                });
            });
        }
    }
}

/// A block grows by doubling, as a vector's does.
fn growth(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("growth-1MiB");
    for peer in &PEERS {
        group.bench_function(peer.name, |bencher| {
            bencher.iter(|| {
                let mut layout = Layout::from_size_align(64, 8).expect("a layout");
                // SAFETY: no layout is empty; the block always has the last one.
                unsafe {
                    let mut block = peer.allocator.alloc(layout);
                    while layout.size() < 1 << 20 {
                        let size = layout.size() * 2;
                        block = black_box(peer.allocator.realloc(block, layout, size));
                        layout = Layout::from_size_align(size, 8).expect("a layout");
                    }
                    peer.allocator.dealloc(block, layout);
                }
            });
        });
    }
}

/// One thread allocates, another one frees.
fn remote(criterion: &mut Criterion) {
    let layout = Layout::from_size_align(64, 8).expect("a layout");
    let mut group = criterion.benchmark_group("remote-64");
    group.throughput(Throughput::Elements(STREAM as u64));
    for peer in &PEERS {
        group.bench_with_input(BenchmarkId::from_parameter(peer.name), peer, |bencher, peer| {
            let (sender, receiver) = sync_channel::<Vec<usize>>(2);
            let (answer, answered) = sync_channel::<Vec<usize>>(2);
            let thread = thread::spawn(move || {
                for mut blocks in receiver {
                    for block in blocks.drain(..) {
                        let block = std::ptr::with_exposed_provenance_mut(block);
                        // SAFETY: the block has this layout, and is freed once.
                        unsafe { peer.allocator.dealloc(block, layout) };
                    }
                    if answer.send(blocks).is_err() {
                        break;
                    }
                }
            });
            let mut blocks = Vec::with_capacity(STREAM);
            bencher.iter(|| {
                let mut sent = std::mem::take(&mut blocks);
                for _ in 0..STREAM {
                    // SAFETY: the layout is not empty.
                    sent.push(unsafe { peer.allocator.alloc(layout) }.expose_provenance());
                }
                sender.send(sent).expect("the thread frees");
                blocks = answered.recv().expect("the thread answers");
            });
            drop(sender);
            thread.join().expect("the thread ends");
        });
    }
}

criterion_group!(malloc, pairs, streams, growth, remote);
criterion_main!(malloc);
