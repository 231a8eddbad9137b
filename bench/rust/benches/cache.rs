// SPDX-License-Identifier: MIT
//! `Cache<T>` and `ConstructedCache<T>` beside the C calls that they make, and beside `Box`.
//!
//! black_box() gets a pointer of one word. A box of two words would pass through memory there, by a
//! load across two stores that the processor cannot forward: some 10 ns that no program pays.

use std::ffi::{c_uint, c_void};
use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use usermm::{Cache, CacheBox, ConstructedCache, Gfp, sys};

/// As large as an object of many programs.
type Value = [u64; 24];

unsafe extern "C" fn construct(object: *mut c_void) {
    // SAFETY: the object has room for a value.
    unsafe { object.cast::<Value>().write([0; 24]) }
}

/// A cache with a constructor that lives as long as the process.
fn made_in_c() -> *mut sys::kmem_cache {
    let bytes = size_of::<Value>() as c_uint;
    // SAFETY: the name lives for ever.
    unsafe { sys::kmem_cache_create(c"bench in C".as_ptr(), bytes, 8, 0, Some(construct)) }
}

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
    group.bench_function("C calls, value written", |bencher| {
        // SAFETY: as above; the place has room for a value.
        bencher.iter(|| unsafe {
            let object = sys::kmem_cache_alloc(cache.as_ptr(), Gfp::KERNEL.bits());
            object.cast::<Value>().write(black_box([1; 24]));
            black_box(object);
            sys::kmem_cache_free(cache.as_ptr(), object);
        });
    });
    let constructed_in_c = made_in_c();
    group.bench_function("C calls, constructed", |bencher| {
        // SAFETY: as above.
        bencher.iter(|| unsafe {
            let object = sys::kmem_cache_alloc(constructed_in_c, Gfp::KERNEL.bits());
            object.cast::<u64>().write(black_box(1));
            black_box(object);
            sys::kmem_cache_free(constructed_in_c, object);
        });
    });
    let constructed = ConstructedCache::new("bench constructed", || [0_u64; 24]);
    group.bench_function("ConstructedCache", |bencher| {
        bencher.iter(|| {
            let mut value = constructed.get();
            value[0] = black_box(1);
            black_box(&*value);
        });
    });
    group.bench_function("Cache, value written", |bencher| {
        bencher.iter(|| {
            let value = cache.alloc(black_box([1; 24]));
            black_box(&*value);
        });
    });
    group.bench_function("Box, value written", |bencher| {
        bencher.iter(|| {
            let value = Box::new(black_box([1_u64; 24]));
            black_box(&*value);
        });
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
