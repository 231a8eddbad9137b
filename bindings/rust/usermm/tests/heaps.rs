// SPDX-License-Identifier: MIT
//! Heaps and controls.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use usermm::{CacheError, Control, ControlError, Heap, HeapBox};

const STEPS: usize = if cfg!(miri) { 50 } else { 5000 };

#[test]
fn values_go_with_their_heap() {
    let heap = Heap::new("values");
    let numbers: Vec<&mut usize> = (0..STEPS).map(|i| heap.alloc(i)).collect();
    assert!(numbers.iter().enumerate().all(|(i, number)| **number == i));
    assert_eq!(heap.stats().blocks, STEPS);
    assert!(heap.stats().bytes >= STEPS * size_of::<usize>());
    assert!(heap.alloc_str("").is_empty());
    assert!(heap.alloc_slice::<u64>(&[]).is_empty());
    let unit: &mut () = heap.alloc(());
    *unit = ();
    let large = heap.alloc_slice(&vec![7_u8; 100_000]);
    assert_eq!(large[99_999], 7);
}

#[test]
fn a_boxed_value_is_dropped_once() {
    struct Counted<'a>(&'a Cell<usize>);

    impl Drop for Counted<'_> {
        fn drop(&mut self) {
            self.0.set(self.0.get() + 1);
        }
    }

    let drops = Cell::new(0);
    let heap = Heap::new("boxed");
    drop(heap.boxed(Counted(&drops)));
    assert_eq!((drops.get(), heap.stats().blocks), (1, 0));
    drop(HeapBox::into_inner(heap.boxed(Counted(&drops))));
    assert_eq!((drops.get(), heap.stats().blocks), (2, 0));
    heap.alloc(Counted(&drops));
    drop(heap);
    assert_eq!(drops.get(), 2, "what goes with its heap is not dropped");
}

#[test]
fn a_drop_that_panics_loses_no_place() {
    struct Bad;

    impl Drop for Bad {
        fn drop(&mut self) {
            panic!("bad");
        }
    }

    let heap = Heap::new("bad");
    let own = heap.boxed((Bad, 1_u64));
    assert!(catch_unwind(AssertUnwindSafe(|| drop(own))).is_err());
    assert_eq!(heap.stats().blocks, 0);
}

#[test]
fn values_of_any_alignment() {
    #[derive(Clone, Copy)]
    #[repr(align(512))]
    struct Wide(u8);

    let heap = Heap::new("wide");
    for i in 0..20 {
        let value = heap.alloc(Wide(i));
        assert_eq!((&raw const *value).addr() % 512, 0);
        assert_eq!(value.0, i);
    }
    let values = heap.alloc_slice(&[Wide(7); 3]);
    assert_eq!((&raw const values[2]).addr() % 512, 0);
}

#[test]
fn threads_share_a_heap() {
    let heap = Heap::new("shared");
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let texts: Vec<_> = (0..STEPS).map(|i| heap.boxed(i.to_string())).collect();
                assert!(texts.iter().enumerate().all(|(i, text)| text.parse() == Ok(i)));
            });
        }
    });
    assert_eq!(heap.stats().blocks, 0);
}

#[test]
fn bad_requests_are_errors() {
    assert_eq!(Heap::try_new("").unwrap_err(), CacheError::Name);
    assert_eq!(Heap::try_new("a\0b").unwrap_err(), CacheError::Name);
    assert!(catch_unwind(|| Heap::new("")).is_err());
    assert_eq!(Control::read("no such control"), Err(ControlError::Unknown));
    assert_eq!(Control::read(""), Err(ControlError::Unknown));
    assert_eq!(Control::write("nr_cpus", 1), Err(ControlError::NotAllowed));
}

#[cfg(not(any(miri, usermm_mock)))]
#[test]
fn controls_change_what_they_say() {
    let names: Vec<String> = Control::list().map(|control| control.name).collect();
    for name in ["limit", "decay_ms", "purge", "profile", "stats.allocated_bytes"] {
        assert!(names.iter().any(|own| own == name), "{name} is not in {names:?}");
    }
    let before = Control::read("decay_ms").unwrap();
    Control::write("decay_ms", 77).unwrap();
    assert_eq!(Control::read("decay_ms"), Ok(77));
    Control::write("decay_ms", before).unwrap();
    assert_eq!(Control::write("decay_ms", 1), Err(ControlError::Range));
    Control::write("purge", 0).unwrap();
    assert!(Control::read("stats.window_bytes").unwrap() > 0);
    assert_eq!(Control::read("purge"), Err(ControlError::NotAllowed));
}

#[cfg(feature = "allocator-api2")]
#[test]
fn collections_borrow_a_heap() {
    use allocator_api2::vec::Vec;

    let heap = Heap::new("collection");
    let mut list = Vec::new_in(&heap);
    list.extend(0..10_000_u32);
    assert_eq!(list.iter().sum::<u32>(), 49_995_000);
    drop(list);
    assert_eq!(heap.stats().blocks, 0);
}
