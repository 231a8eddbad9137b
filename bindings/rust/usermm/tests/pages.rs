// SPDX-License-Identifier: MIT
//! Page blocks, bulk, quicklists.

use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use usermm::{
    Gfp, MAX_ORDER, PAGE_SIZE, Page, PageBlock, PageBulk, PageError, PageState, Quicklist, Zeroed,
};

#[test]
fn every_order() {
    let highest = if cfg!(miri) { 3 } else { MAX_ORDER };
    for order in 0..=highest {
        let mut block = PageBlock::zeroed(order);
        assert_eq!(block.len(), PAGE_SIZE << order);
        assert_eq!(block.pages(), 1 << order);
        assert!(block.as_ptr().addr() % block.len() == 0);
        assert!(block.iter().all(|byte| *byte == 0));
        block.fill(0xff);
        assert_eq!(block.pfn() % block.pages(), 0);
    }
    let again = PageBlock::zeroed(highest);
    assert!(again.iter().all(|byte| *byte == 0), "a block that was written to comes zeroed");
}

#[test]
fn orders_that_do_not_exist() {
    for order in [MAX_ORDER + 1, 31, 32, 63, 64, u32::MAX] {
        let error = PageBlock::try_uninit(order, Gfp::KERNEL).unwrap_err();
        assert_eq!(error, PageError::Order(order));
    }
    assert!(catch_unwind(|| PageBlock::zeroed(11)).is_err());
    for (bytes, order) in [(0, 0), (1, 0), (4096, 0), (4097, 1), (8192, 1), (8193, 2)] {
        assert_eq!(usermm::order_of(bytes), order, "{bytes}");
    }
    assert!(usermm::order_of(usize::MAX) > MAX_ORDER);
}

#[test]
fn blocks_move_between_threads() {
    let block = PageBlock::uninit(1).fill(7);
    let block = thread::spawn(move || {
        assert_eq!(block[8191], 7);
        block
    })
    .join()
    .unwrap();
    let raw = block.into_page();
    // SAFETY: page and order came from into_page(); all bytes were written.
    let block = unsafe { PageBlock::<u8>::from_page(raw.0, raw.1) };
    assert_eq!(block[0], 7);
    let uninit: PageBlock<MaybeUninit<u8>> = block.into_uninit();
    assert_eq!(uninit.order(), 1);
}

#[test]
fn bulk_fills_and_empties() {
    let mut stock = PageBulk::zeroed(40);
    assert_eq!(stock.refill_with(10, Gfp::KERNEL), 10);
    assert_eq!(stock.refill_with(5, Gfp::KERNEL), 10, "it has more than that");
    assert_eq!(stock.refill(), 40);
    let mut pages: Vec<_> = (0..40).map(|_| stock.pop().unwrap()).collect();
    assert!(stock.pop().is_none());
    for (i, page) in pages.iter_mut().enumerate() {
        assert!(page.iter().all(|byte| *byte == 0));
        page.fill(i as u8);
    }
    assert!(pages.iter().enumerate().all(|(i, page)| page[4095] == i as u8));
    for page in pages {
        stock.push(page).unwrap();
    }
    let refused = stock.push(PageBlock::zeroed(0)).unwrap_err();
    assert_eq!(refused.order(), 0);
    stock.clear();
    assert_eq!(stock.push(PageBlock::zeroed(1)).unwrap_err().order(), 1);
    stock.push(refused).unwrap();
    assert_eq!(stock.pop().map(|page| page.len()), Some(PAGE_SIZE));
    assert!(PageBulk::<u8>::try_with_capacity(usize::MAX / 2).is_err());
    assert_eq!(PageBulk::<u8>::with_capacity(0).refill(), 0);
}

static BUILT: AtomicUsize = AtomicUsize::new(0);
static RELEASED: AtomicUsize = AtomicUsize::new(0);

/// Each word but the first is its own number.
struct Counted;

impl PageState for Counted {
    fn build(page: &mut Page) -> bool {
        BUILT.fetch_add(1, Relaxed);
        for (i, word) in page.chunks_exact_mut(8).enumerate() {
            word.copy_from_slice(&i.to_ne_bytes());
        }
        true
    }

    fn first_wrong(page: &Page) -> Option<usize> {
        let mut words = page.chunks_exact(8).enumerate().skip(1);
        words.find(|(i, word)| *word != i.to_ne_bytes()).map(|(i, _)| i * 8)
    }

    fn release(page: &mut Page) {
        assert_eq!(Self::first_wrong(page), None);
        RELEASED.fetch_add(1, Relaxed);
    }
}

#[test]
fn a_quicklist_keeps_the_state() {
    let list = Quicklist::<Counted>::new(c"counted");
    let mut page = list.get();
    assert_eq!(Counted::first_wrong(&page), None);
    assert_eq!(page[..8], [0; 8]);
    page[..8].fill(1);
    page.put();
    let built = BUILT.load(Relaxed);
    let mut page = list.get();
    assert_eq!(Counted::first_wrong(&page), None);
    page.fill(9);
    drop(page);
    for page in (0..10).map(|_| list.get()).collect::<Vec<_>>() {
        assert_eq!(Counted::first_wrong(&page), None);
        assert_eq!(page[..8], [0; 8], "the link is cleared");
        page.put();
    }
    assert!(BUILT.load(Relaxed) > built);
    list.shrink();
    assert_eq!(list.stats().pages, 0);
    assert!(RELEASED.load(Relaxed) >= 10);
    assert_eq!(list.stats().dtors, RELEASED.load(Relaxed));
}

#[test]
fn put_checks_the_state() {
    let list = Quicklist::<Zeroed>::new(c"zeroed");
    let mut page = list.get();
    page[100] = 1;
    let result = catch_unwind(AssertUnwindSafe(|| page.put()));
    assert_eq!(result.is_err(), cfg!(debug_assertions));
}

/// A state that cannot be built.
struct Impossible;

impl PageState for Impossible {
    fn build(_page: &mut Page) -> bool {
        false
    }

    fn first_wrong(_page: &Page) -> Option<usize> {
        None
    }
}

/// A state that cannot be built a second time.
struct Once;

static ONCE: AtomicUsize = AtomicUsize::new(0);

impl PageState for Once {
    fn build(_page: &mut Page) -> bool {
        ONCE.fetch_add(1, Relaxed) == 0
    }

    fn first_wrong(_page: &Page) -> Option<usize> {
        None
    }
}

#[test]
fn states_that_cannot_be_built() {
    let list = Quicklist::<Impossible>::new(c"impossible");
    assert!(list.try_get(Gfp::KERNEL).is_err());
    let list = Quicklist::<Once>::new(c"once");
    drop(list.get());
    assert_eq!(list.stats().pages, 0, "a page without its state is not kept");
    assert!(list.try_get(Gfp::KERNEL).is_err());
}

#[test]
fn threads_share_a_quicklist() {
    let list = Quicklist::<Zeroed>::new(c"shared");
    let steps = if cfg!(miri) { 4 } else { 2000 };
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for i in 0..steps {
                    let mut page = list.get();
                    assert!(page.iter().step_by(97).all(|byte| *byte == 0));
                    page[i % 4096] = 1;
                    page[i % 4096] = 0;
                    page.put();
                }
            });
        }
    });
}
