// SPDX-License-Identifier: MIT
//! Typed caches: values are dropped once, at the right time, whatever happens between.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, LazyLock};
use std::thread;

use usermm::{Cache, CacheBox, CacheError, ConstructedCache, Gfp, Options};

const STEPS: usize = if cfg!(miri) { 50 } else { 5000 };

/// Counts drops.
#[derive(Debug)]
struct Counted<'a>(&'a Cell<usize>, u64);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

#[test]
fn a_value_is_dropped_once() {
    let drops = Cell::new(0);
    let cache = Cache::new("counted");
    drop(cache.alloc(Counted(&drops, 1)));
    assert_eq!(drops.get(), 1);
    let value = CacheBox::into_inner(cache.alloc(Counted(&drops, 2)));
    assert_eq!((drops.get(), value.1), (1, 2));
    drop(value);
    let raw = CacheBox::into_raw(cache.alloc(Counted(&drops, 3)));
    assert_eq!(drops.get(), 2);
    // SAFETY: the pointer came from a box of this cache.
    drop(unsafe { CacheBox::from_raw(raw, &cache) });
    assert_eq!(drops.get(), 3);
    cache.destroy().unwrap();
}

#[test]
fn boxes_are_values() {
    let cache = Cache::<String>::new("text");
    let mut text = cache.alloc("b".to_string());
    text.push('c');
    assert_eq!(format!("{text} {text:?}"), "bc \"bc\"");
    let other = cache.alloc("bd".to_string());
    assert!(text < other && text != other);
    assert_eq!(text.as_ref(), "bc");
    let mut sorted = [other, text];
    sorted.sort();
    assert_eq!(*sorted[0], "bc");
    let set: std::collections::HashSet<CacheBox<String, _>> = sorted.into_iter().collect();
    assert!(set.contains(&String::from("bd")));
}

#[test]
fn types_of_every_shape() {
    #[derive(Clone, Copy)]
    #[repr(align(256))]
    struct Wide([u8; 300]);

    let wide = Cache::new("wide");
    let own = wide.alloc(Wide([7; 300]));
    assert!((&raw const *own).addr() % 256 == 0);
    assert_eq!(own.0[299], 7);
    let unit = Cache::new("unit");
    let (first, second) = (unit.alloc(()), unit.alloc(()));
    assert_ne!(&raw const *first, &raw const *second);
    let byte = Cache::new("byte");
    let bytes: Vec<_> = (0..=255_u8).map(|i| byte.alloc(i)).collect();
    assert!(bytes.iter().enumerate().all(|(i, byte)| usize::from(**byte) == i));
    let large = Cache::<[u8; 1 << 20]>::new("large");
    let place = large.prefill(1).unwrap();
    assert!(!place.is_empty());
}

#[test]
fn a_shared_cache_lives_as_long_as_its_boxes() {
    let cache = Arc::new(Cache::new("shared"));
    let number = CacheBox::new_in(7, Arc::clone(&cache));
    let weak = Arc::downgrade(&cache);
    drop(cache);
    assert_eq!(*number, 7);
    drop(number);
    assert!(weak.upgrade().is_none());
    let cache = Rc::new(ConstructedCache::new("shared", || 8));
    let number = ConstructedCache::get_in(Rc::clone(&cache));
    drop(cache);
    assert_eq!(*number, 8);
}

#[test]
fn a_cache_with_values_in_use_is_not_destroyed() {
    let cache = Cache::new("kept");
    let raw = CacheBox::into_raw(cache.alloc(7_u64));
    let cache = cache.destroy().unwrap_err().into_cache();
    // SAFETY: the pointer came from a box of this cache.
    let own = unsafe { CacheBox::from_raw(raw, &cache) };
    assert_eq!(*own, 7);
    drop(own);
    cache.destroy().unwrap();
}

/// The cache is reported, and stays: others of its name are made beside it.
#[test]
#[cfg(not(any(miri, usermm_mock)))]
fn a_cache_that_is_dropped_keeps_leaked_values() {
    let cache = Cache::new("dropped");
    let raws: Vec<_> = (0..100_u64).map(|i| CacheBox::into_raw(cache.alloc(i))).collect();
    drop(cache);
    let other = Cache::new("dropped");
    let others: Vec<_> = (0..100_u64).map(|i| other.alloc(1000 + i)).collect();
    // SAFETY: nothing frees these values.
    assert!(raws.iter().enumerate().all(|(i, raw)| unsafe { raw.read() } == i as u64));
    assert!(others.iter().enumerate().all(|(i, number)| **number == 1000 + i as u64));
}

#[test]
fn bad_requests_are_errors() {
    let long = "x".repeat(128);
    for name in ["", "a\0b", &long] {
        assert_eq!(Cache::<u64>::try_new(name).unwrap_err(), CacheError::Name);
    }
    Cache::<u64>::try_new(&long[1..]).unwrap();
    let error = Cache::<[u8; (4 << 20) + 1]>::try_new("large").unwrap_err();
    assert!(matches!(error, CacheError::TooLarge(_)));
    assert!(error.to_string().contains("4194304 is the most"), "{error}");
    let error = Cache::<u8>::builder("aligned").align(8 << 20).build().unwrap_err();
    assert!(matches!(error, CacheError::TooLarge(_)));
    assert!(catch_unwind(|| Cache::<u8>::new("")).is_err());
    assert!(catch_unwind(|| Cache::<u8>::builder("three").align(3)).is_err());
}

#[test]
fn arrays_come_whole_or_not_at_all() {
    let drops = Cell::new(0);
    let cache = Cache::new("array");
    let own = cache.try_alloc_array::<100>(|i| Counted(&drops, i as u64)).unwrap();
    assert!(own.iter().enumerate().all(|(i, own)| own.1 == i as u64));
    cache.free_array(own);
    assert_eq!(drops.get(), 100);
    let none = cache.try_alloc_array::<0>(|_| unreachable!()).unwrap();
    cache.free_array(none);

    // A closure that panics leaves nothing behind.
    let result = catch_unwind(AssertUnwindSafe(|| {
        cache.try_alloc_array::<10>(|i| {
            assert_ne!(i, 5);
            Counted(&drops, 0)
        })
    }));
    assert!(result.is_err());
    drop(result);
    assert_eq!(drops.get(), 105);
    cache.destroy().unwrap();
}

#[test]
fn a_box_of_another_cache_is_refused() {
    let (one, other) = (Cache::new("one"), Cache::new("other"));
    let own = one.try_alloc_array::<2>(|i| i).unwrap();
    assert!(catch_unwind(AssertUnwindSafe(|| other.free_array(own))).is_err());
    one.destroy().unwrap();
}

#[test]
fn a_drop_that_panics_loses_no_place() {
    struct Bad;

    impl Drop for Bad {
        fn drop(&mut self) {
            panic!("bad");
        }
    }

    let cache = Cache::new("bad");
    let own = cache.alloc(Bad);
    assert!(catch_unwind(AssertUnwindSafe(|| drop(own))).is_err());
    cache.destroy().unwrap();
}

#[test]
fn a_constructed_value_that_moved_out_is_not_handed_out_again() {
    /// There is one of each number.
    struct Unique(usize);

    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let build = || Unique(NEXT.fetch_add(1, Relaxed));
    let cache = ConstructedCache::new("unique", build);
    let first = CacheBox::into_inner(cache.get());
    let second = CacheBox::into_inner(cache.get());
    assert_ne!(first.0, second.0);
    let third = CacheBox::into_inner(cache.alloc(build()));
    assert_ne!(third.0, cache.get().0, "as a plain cache");
}

#[test]
fn constructed_values_stay_as_they_were_left() {
    /// There is one of each number.
    struct Table {
        number: usize,
        rows: [u32; 100],
    }

    static BUILT: AtomicUsize = AtomicUsize::new(0);
    let build = || Table { number: BUILT.fetch_add(1, Relaxed), rows: [7; 100] };
    let cache = ConstructedCache::new("table", build);
    let mut table = cache.get();
    assert_eq!(table.rows, [7; 100]);
    table.rows[99] = 8;
    let number = table.number;
    drop(table);
    let tables: Vec<_> = (0..50).map(|_| cache.get()).collect();
    for table in &tables {
        let last = if table.number == number { 8 } else { 7 };
        assert_eq!((table.rows[0], table.rows[99]), (7, last));
    }
    // Guarded values are built anew: see case_guarded in exhaustion.rs.
    let is_guarded = Options::current("kfence_sample").is_some_and(|rate| rate != "0");
    assert!(is_guarded || tables.iter().any(|table| table.number == number));
    // Zeroed values would not be the ones that were built.
    assert_eq!(cache.try_get(Gfp::KERNEL | Gfp::ZERO).unwrap().rows[0], 7);
    drop(tables);
    cache.destroy().unwrap();
}

#[test]
fn a_sheaf_keeps_its_promise() {
    let cache = Cache::new("prefilled");
    let mut sheaf = cache.prefill(32).unwrap();
    let mut boxes = Vec::new();
    for i in 0..32 {
        boxes.push(sheaf.alloc(i).unwrap());
    }
    while let Ok(own) = sheaf.alloc(0) {
        boxes.push(own);
        assert!(boxes.len() < 10_000, "a sheaf ends");
    }
    assert!(sheaf.is_empty());
    assert_eq!(sheaf.alloc(77).unwrap_err().into_value(), 77);
    sheaf.refill(5).unwrap();
    assert!(sheaf.len() >= 5);
    drop(sheaf);
    assert!(boxes.iter().take(32).enumerate().all(|(i, own)| **own == i));
    drop(boxes);
    cache.destroy().unwrap();
}

static STRINGS: LazyLock<Cache<String>> = LazyLock::new(|| Cache::new("string"));

#[test]
fn threads_hand_boxes_on() {
    let (sender, receiver) = std::sync::mpsc::channel::<CacheBox<String>>();
    let threads: Vec<_> = (0..3)
        .map(|thread| {
            let sender = sender.clone();
            thread::spawn(move || {
                for i in 0..STEPS {
                    sender.send(STRINGS.alloc(format!("{thread} {i}"))).unwrap();
                }
            })
        })
        .collect();
    drop(sender);
    assert_eq!(receiver.iter().filter(|text| text.contains(' ')).count(), 3 * STEPS);
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert!(STRINGS.shrink());
}

#[test]
fn scoped_threads_share_a_cache() {
    let cache = Cache::new("scoped");
    let total: usize = thread::scope(|scope| {
        let threads: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    (0..STEPS).map(|i| CacheBox::into_inner(cache.alloc(i))).sum::<usize>()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(total, 3 * (STEPS - 1) * STEPS / 2);
    cache.destroy().unwrap();
}

#[test]
fn a_cache_goes_with_its_values_where_that_is_asked_for() {
    let cache = Cache::new("whole");
    for i in 0..if cfg!(any(miri, usermm_mock)) { 0 } else { 1000 } {
        CacheBox::into_raw(cache.alloc([i; 10]));
    }
    // SAFETY: nobody has kept a pointer.
    unsafe { cache.destroy_with_values() }.unwrap();
}
