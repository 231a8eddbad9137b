// SPDX-License-Identifier: MIT
//! Shrinkers: closures are asked, live as long as they are registered, and are dropped once.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use usermm::{CacheError, Gfp, PageBlock, Scan, Shrinker};

/// Shrinkers are asked by every test of the process.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

#[test]
fn closures_are_asked_and_dropped() {
    let _one = ONE_AT_A_TIME.lock();
    let kept: Arc<Mutex<Vec<PageBlock>>> = Arc::default();
    kept.lock().unwrap().extend((0..10).map(|_| PageBlock::zeroed(0)));
    let (counted, scanned) = (Arc::clone(&kept), Arc::clone(&kept));
    let shrinker = Shrinker::builder("pages")
        .batch(4)
        .seeks(0)
        .register(
            move || counted.lock().unwrap().len(),
            move |request| {
                assert!(request.node() >= 0 && request.gfp().may_wait());
                let mut kept = scanned.lock().unwrap();
                let left = kept.len().saturating_sub(request.objects());
                Scan::Freed(kept.drain(left..).count())
            },
        )
        .unwrap();
    let mut rounds = 0;
    while !kept.lock().unwrap().is_empty() {
        usermm::shrink_all(Gfp::KERNEL, 0);
        rounds += 1;
        assert!(rounds < 100, "the shrinker is asked until it has nothing");
    }
    assert_eq!(Arc::strong_count(&kept), 3);
    drop(shrinker);
    assert_eq!(Arc::strong_count(&kept), 1, "the closures are gone with their shrinker");
}

#[test]
fn a_shrinker_may_refuse() {
    let _one = ONE_AT_A_TIME.lock();
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let shrinker = Shrinker::register(
        "stubborn",
        || usize::MAX,
        move |_| {
            counted.fetch_add(1, SeqCst);
            Scan::Stop
        },
    )
    .unwrap();
    usermm::shrink_all(Gfp::KERNEL, 0);
    assert!(asked.load(SeqCst) > 0);
    drop(shrinker);
    let before = asked.load(SeqCst);
    usermm::shrink_all(Gfp::KERNEL, 0);
    assert_eq!(asked.load(SeqCst), before, "it is not asked any more");
}

#[test]
fn bad_names_are_errors() {
    for name in ["", "a\0b"] {
        let error = Shrinker::register(name, || 0, |_| Scan::Stop).unwrap_err();
        assert_eq!(error, CacheError::Name);
    }
    // A name is no format.
    let _one = ONE_AT_A_TIME.lock();
    drop(Shrinker::register("%s %n", || 0, |_| Scan::Stop).unwrap());
}
