// SPDX-License-Identifier: MIT
//! `Cache<T>` and `ConstructedCache<T>` beside the C calls that they make, and beside `Box`.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use usermm::{Cache, CacheBox, ConstructedCache, Gfp, sys};

/// As large as an object of many programs.
type Value = [u64; 24];

fn pairs(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("cache-pair-192");
    let cache = Cache::<Value>::new("bench");
    group.bench_function("C calls", |bencher| {
        // SAFETY: the cache is alive; the object is freed once.
        bencher.iter(|| unsafe {
            let object = sys::kmem_cache_alloc(cache.as_ptr(), Gfp::KERNEL.bits());
            object.cast::<u64>().write(black_box(1));
            black_box(object);
            sys::kmem_cache_free(cache.as_ptr(), object);
        });
    });
    let constructed = ConstructedCache::new("bench constructed", || [0_u64; 24]);
    group.bench_function("ConstructedCache", |bencher| {
        bencher.iter(|| {
            let mut value = constructed.get();
            value[0] = black_box(1);
            black_box(&value);
        });
    });
    group.bench_function("Cache, value written", |bencher| {
        bencher.iter(|| black_box(cache.alloc(black_box([1; 24]))));
    });
    group.bench_function("Box, value written", |bencher| {
        bencher.iter(|| black_box(Box::new(black_box([1_u64; 24]))));
    });
}

fn arrays(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("cache-64-values");
    let cache = Cache::<u64>::new("bench");
    group.bench_function("one by one", |bencher| {
        bencher.iter(|| {
            let boxes: [CacheBox<u64, _>; 64] = std::array::from_fn(|i| cache.alloc(i as u64));
            black_box(&boxes);
        });
    });
    group.bench_function("array", |bencher| {
        bencher.iter(|| {
            let boxes = cache.try_alloc_array::<64>(|i| i as u64).expect("memory");
            black_box(&boxes);
            cache.free_array(boxes);
        });
    });
}

criterion_group!(cache, pairs, arrays);
criterion_main!(cache);
