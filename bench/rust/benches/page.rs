// SPDX-License-Identifier: MIT
//! Page blocks, bulk and quicklists.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use usermm::{PageBlock, PageBulk, Quicklist, Zeroed};

fn blocks(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("page-block");
    for order in [0, 3, 9] {
        group.bench_function(format!("uninit, order {order}"), |bencher| {
            bencher.iter(|| black_box(PageBlock::uninit(order)));
        });
    }
}

fn bulk(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("page-64");
    group.throughput(Throughput::Elements(64));
    let mut stock = PageBulk::uninit(64);
    group.bench_function("bulk", |bencher| {
        bencher.iter(|| {
            black_box(stock.refill());
            stock.clear();
        });
    });
    group.bench_function("one by one", |bencher| {
        bencher.iter(|| {
            let pages: [PageBlock<_>; 64] = std::array::from_fn(|_| PageBlock::uninit(0));
            black_box(&pages);
        });
    });
}

fn zeroed(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("zeroed-page");
    let list = Quicklist::<Zeroed>::new(c"bench");
    group.bench_function("quicklist, put", |bencher| {
        bencher.iter(|| black_box(list.get()).put());
    });
    group.bench_function("quicklist, dropped", |bencher| {
        bencher.iter(|| black_box(list.get()));
    });
    group.bench_function("page block", |bencher| {
        bencher.iter(|| black_box(PageBlock::zeroed(0)));
    });
}

criterion_group!(page, blocks, bulk, zeroed);
criterion_main!(page);
