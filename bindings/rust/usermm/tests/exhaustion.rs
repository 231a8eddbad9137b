// SPDX-License-Identifier: MIT
//! When memory runs out, and other ends of a process. Each case is a process of its own: this
//! program, started again with options and the name of one ignored test.
#![cfg(not(any(miri, usermm_mock)))]

use std::alloc::{GlobalAlloc, Layout};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

use usermm::{
    Cache, CacheBox, ConstructedCache, Gfp, PageBlock, PageBulk, PageError, Scan, Shrinker, UserMm,
};

const SIGABRT: i32 = 6;

fn run(case: &str, options: &str) -> Output {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", case, "--ignored", "--nocapture", "--test-threads=1"])
        .env("USERMM_OPTIONS", options)
        .env("RUST_BACKTRACE", "0")
        .output()
        .unwrap()
}

fn said(done: &Output) -> String {
    String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr)
}

#[track_caller]
fn expect_success(case: &str, options: &str) -> String {
    let done = run(case, options);
    let said = said(&done);
    assert!(done.status.success() && said.contains("1 passed"), "{case}: {said}");
    said
}

#[track_caller]
fn expect_abort(case: &str, options: &str, message: &str) {
    let done = run(case, options);
    let said = said(&done);
    assert_eq!(done.status.signal(), Some(SIGABRT), "{case}: {said}");
    assert!(said.contains(message), "{case}: {said}");
}

#[test]
fn errors_lose_nothing() {
    expect_success("case_cache", "limit=32M");
    expect_success("case_pages", "limit=32M");
    expect_success("case_malloc", "limit=32M");
}

#[test]
#[ignore = "a case"]
fn case_cache() {
    let cache = Cache::<(u64, [u8; 5000])>::new("large");
    let mut boxes = Vec::new();
    let (number, _) = loop {
        match cache.try_alloc((boxes.len() as u64, [7; 5000])) {
            Ok(own) => boxes.push(own),
            Err(error) => {
                assert!(error.to_string().starts_with("no memory for 5008 bytes"));
                break error.into_value();
            }
        }
        assert!(boxes.len() < 10_000, "limit= holds");
    };
    assert_eq!(number, boxes.len() as u64, "the value comes back");
    assert!(boxes.len() > 1000);
    assert!(boxes.iter().enumerate().all(|(i, own)| own.0 == i as u64 && own.1[4999] == 7));
    assert!(cache.try_alloc_array::<500>(|_| (0, [0; 5000])).is_err());
    assert!(cache.prefill(500).is_err());
    boxes.truncate(100);
    boxes.push(cache.try_alloc((1, [1; 5000])).unwrap());
    drop(boxes);
    cache.destroy().unwrap();
}

#[test]
#[ignore = "a case"]
fn case_pages() {
    let mut blocks = Vec::new();
    let error = loop {
        match PageBlock::try_uninit(8, Gfp::NOWAIT) {
            Ok(block) => blocks.push(block.fill(7)),
            Err(error) => break error,
        }
        assert!(blocks.len() < 100, "limit= holds");
    };
    assert!(matches!(error, PageError::NoMemory(_)));
    assert!(error.to_string().starts_with("no memory for 1048576 bytes"), "{error}");
    assert!(blocks.iter().all(|block| block[1 << 19] == 7));
    let mut stock = PageBulk::zeroed(100_000);
    let got = stock.refill();
    assert!(got < 8192, "fewer pages than asked for are no error");
    stock.clear();
    blocks.clear();
    assert!(stock.refill() > 1000 && stock.len() > got);
}

#[test]
#[ignore = "a case"]
fn case_malloc() {
    for size in [100 << 20, 1 << 40] {
        let layout = Layout::from_size_align(size, 16).unwrap();
        // SAFETY: the layout is not empty.
        assert!(unsafe { UserMm.alloc(layout) }.is_null());
    }
    let layout = Layout::from_size_align(100, 1 << 30).unwrap();
    // SAFETY: the layout is not empty; the block is freed with it.
    unsafe {
        let block = UserMm.alloc(layout);
        if !block.is_null() {
            UserMm.dealloc(block, layout);
        }
    }
}

#[test]
fn without_memory_the_process_ends_as_for_a_box() {
    expect_abort("case_alloc", "limit=16M", "memory allocation of 4096 bytes failed");
    expect_abort("case_zeroed", "limit=16M", "memory allocation of 4194304 bytes failed");
}

#[test]
#[ignore = "a case"]
fn case_alloc() {
    let cache = Cache::new("page");
    for _ in 0..100_000 {
        CacheBox::into_raw(cache.alloc([7_u8; 4096]));
    }
}

#[test]
#[ignore = "a case"]
fn case_zeroed() {
    for _ in 0..100 {
        PageBlock::zeroed(10).leak();
    }
}

#[test]
fn a_cache_that_is_dropped_with_a_leaked_value_says_so() {
    let said = expect_success("case_leak", "");
    assert!(said.contains("leaky"), "{said}");
}

#[test]
#[ignore = "a case"]
fn case_leak() {
    let cache = Cache::new("leaky");
    let raw = CacheBox::into_raw(cache.alloc(7_u64));
    drop(cache);
    // SAFETY: the library keeps the memory of objects that remain.
    assert_eq!(unsafe { raw.read() }, 7);
}

#[test]
fn shrinkers_are_asked_when_memory_runs_short() {
    expect_success("case_pressure", "limit=32M");
}

#[test]
#[ignore = "a case"]
fn case_pressure() {
    let kept: Arc<Mutex<Vec<PageBlock>>> = Arc::default();
    let (counted, scanned) = (Arc::clone(&kept), Arc::clone(&kept));
    let _shrinker = Shrinker::register(
        "kept",
        move || counted.lock().unwrap().len(),
        move |request| {
            let mut kept = scanned.lock().unwrap();
            let left = kept.len().saturating_sub(request.objects());
            Scan::Freed(kept.drain(left..).count())
        },
    )
    .unwrap();
    // Three times what there is. A kept page must not be allocated under the lock.
    for _ in 0..3 * 8192 {
        let page = PageBlock::try_zeroed(0, Gfp::KERNEL).unwrap();
        kept.lock().unwrap().push(page);
    }
    let left = kept.lock().unwrap().len();
    assert!((1..8192).contains(&left), "{left} pages are left");
}

#[test]
fn guarded_values_are_built_anew() {
    expect_success("case_guarded", "kfence_sample=1");
}

#[test]
#[ignore = "a case"]
fn case_guarded() {
    let cache = ConstructedCache::new("seven", || [7_u64; 10]);
    for _ in 0..1000 {
        let mut seven = cache.get();
        assert_eq!(*seven, [7; 10]);
        seven[9] = 8;
    }
    cache.destroy().unwrap();
}

#[test]
fn misuse_ends_the_process_with_one_line() {
    expect_abort("case_own_shrinker", "", "usermm: shrinker endless ");
    expect_abort("case_double_free", "", "usermm: ");
    expect_abort("case_wrong_layout", "hardened=1", "usermm: ");
}

#[test]
#[ignore = "a case"]
fn case_double_free() {
    let cache = Cache::new("twice");
    let raw = CacheBox::into_raw(cache.alloc(7_u64));
    // SAFETY: none: the library notices it.
    unsafe {
        drop(CacheBox::from_raw(raw, &cache));
        drop(CacheBox::from_raw(raw, &cache));
    }
}

#[test]
#[ignore = "a case"]
fn case_own_shrinker() {
    let own: Arc<Mutex<Option<Shrinker>>> = Arc::default();
    let dropped = Arc::clone(&own);
    let scan = move |_: &_| {
        drop(dropped.lock().unwrap().take());
        Scan::Stop
    };
    *own.lock().unwrap() = Some(Shrinker::register("endless", || 1, scan).unwrap());
    usermm::shrink_all(Gfp::KERNEL, 0);
}

#[test]
#[ignore = "a case"]
fn case_wrong_layout() {
    // SAFETY: none: with hardened=1 the library notices that the sizes differ.
    unsafe {
        let block = UserMm.alloc(Layout::from_size_align(100, 8).unwrap());
        UserMm.dealloc(block, Layout::from_size_align(99, 8).unwrap());
    }
}
