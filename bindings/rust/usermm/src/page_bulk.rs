// SPDX-License-Identifier: MIT
//! Many pages by one call.

use alloc::vec::Vec;
use core::alloc::Layout;
use core::ffi::c_ulong;
use core::fmt;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use crate::error::AllocError;
use crate::gfp::Gfp;
use crate::page::{PAGE_SIZE, PageBlock, PageByte};
use crate::sys;

/// A stock of single pages, filled and emptied by the bulk calls.
///
/// One call for 64 pages takes a fraction of what 64 calls take. [`pop`](Self::pop) hands a page
/// out, [`push`](Self::push) takes one back, and [`refill`](Self::refill) fills the stock up. What
/// is left is freed by one call when the stock is dropped.
///
/// ```
/// use usermm::PageBulk;
///
/// let mut stock = PageBulk::zeroed(64);
/// assert_eq!(stock.refill(), 64);
/// let mut page = stock.pop().unwrap();
/// page[0] = 1;
/// stock.push(page).unwrap();
/// assert_eq!(stock.len(), 64);
/// ```
pub struct PageBulk<B: PageByte = u8> {
    /// Never grows: its capacity is the stock's.
    pages: Vec<NonNull<sys::page>>,
    capacity: usize,
    bytes: PhantomData<B>,
}

// SAFETY: the stock owns its pages; any thread may free them.
unsafe impl<B: PageByte> Send for PageBulk<B> {}
// SAFETY: a shared stock only tells how much there is.
unsafe impl<B: PageByte> Sync for PageBulk<B> {}

impl PageBulk {
    /// A stock with room for so many pages, and none in it. Pages come zeroed; those that were
    /// given back are as they were left.
    ///
    /// ```
    /// let mut stock = usermm::PageBulk::zeroed(16);
    /// stock.refill();
    /// assert!(stock.pop().unwrap().iter().all(|byte| *byte == 0));
    /// ```
    pub fn zeroed(capacity: usize) -> Self {
        Self::with_capacity(capacity)
    }
}

impl PageBulk<MaybeUninit<u8>> {
    /// A stock with room for so many pages, and none in it. Nobody has written to the pages.
    ///
    /// ```
    /// let mut stock = usermm::PageBulk::uninit(16);
    /// stock.refill();
    /// let page = stock.pop().unwrap().fill(7);
    /// assert_eq!(page[0], 7);
    /// ```
    pub fn uninit(capacity: usize) -> Self {
        Self::with_capacity(capacity)
    }
}

impl<B: PageByte> PageBulk<B> {
    /// A stock with room for so many pages. Without memory the process ends as it does for
    /// `Vec::with_capacity()`.
    ///
    /// ```
    /// assert_eq!(usermm::PageBulk::<u8>::with_capacity(16).capacity(), 16);
    /// ```
    pub fn with_capacity(capacity: usize) -> Self {
        Self { pages: Vec::with_capacity(capacity), capacity, bytes: PhantomData }
    }

    /// A stock with room for so many pages, or an error without memory.
    ///
    /// ```
    /// use usermm::PageBulk;
    ///
    /// let stock = PageBulk::<u8>::try_with_capacity(16)?;
    /// assert!(PageBulk::<u8>::try_with_capacity(usize::MAX).is_err());
    /// # Ok::<(), usermm::AllocError>(())
    /// ```
    pub fn try_with_capacity(capacity: usize) -> Result<Self, AllocError> {
        let mut pages = Vec::new();
        match pages.try_reserve_exact(capacity) {
            Ok(()) => Ok(Self { pages, capacity, bytes: PhantomData }),
            Err(_) => Err(AllocError::new(
                Layout::array::<NonNull<sys::page>>(capacity).unwrap_or(Layout::new::<usize>()),
            )),
        }
    }

    /// Fills the stock up, and answers how many pages it has then: fewer than its capacity only if
    /// memory is short. May wait.
    ///
    /// ```
    /// let mut stock = usermm::PageBulk::zeroed(64);
    /// assert_eq!(stock.refill(), 64);
    /// ```
    pub fn refill(&mut self) -> usize {
        self.refill_with(self.capacity, Gfp::KERNEL)
    }

    /// Fills the stock up to `target` pages, at most to its capacity, with flags. Answers how many
    /// pages it has then.
    ///
    /// ```
    /// let mut stock = usermm::PageBulk::zeroed(64);
    /// assert!(stock.refill_with(10, usermm::Gfp::NOWAIT) <= 10);
    /// ```
    pub fn refill_with(&mut self, target: usize, gfp: Gfp) -> usize {
        let have = self.pages.len();
        let wanted = target.min(self.capacity).saturating_sub(have);
        if wanted != 0 {
            // SAFETY: the vector has room for the wanted entries, of which the library sets the
            // first ones and says how many.
            unsafe {
                let free = self.pages.as_mut_ptr().add(have).cast();
                let flags = (gfp | B::FLAGS).bits();
                let got = sys::alloc_frozen_pages_bulk(flags, wanted as c_ulong, free);
                self.pages.set_len(have + got as usize);
            }
        }
        self.pages.len()
    }

    /// Takes a page.
    ///
    /// ```
    /// let mut stock = usermm::PageBulk::zeroed(1);
    /// assert!(stock.pop().is_none());
    /// stock.refill();
    /// assert_eq!(stock.pop().unwrap().len(), usermm::PAGE_SIZE);
    /// ```
    #[inline]
    pub fn pop(&mut self) -> Option<PageBlock<B>> {
        let page = self.pages.pop()?;
        // SAFETY: the stock's pages are frozen blocks of order 0 that only the stock has.
        Some(unsafe { PageBlock::from_page(page, 0) })
    }

    /// Puts a page into the stock. A block of several pages comes back, and so does any if the
    /// stock is full.
    ///
    /// ```
    /// use usermm::{PageBlock, PageBulk};
    ///
    /// let mut stock = PageBulk::zeroed(1);
    /// stock.push(PageBlock::zeroed(0)).unwrap();
    /// assert!(stock.push(PageBlock::zeroed(0)).is_err());
    /// ```
    #[inline]
    pub fn push(&mut self, page: PageBlock<B>) -> Result<(), PageBlock<B>> {
        if page.order() != 0 || self.pages.len() == self.capacity {
            return Err(page);
        }
        self.pages.push(page.into_page().0);
        Ok(())
    }

    /// Frees all pages of the stock by one call.
    ///
    /// ```
    /// let mut stock = usermm::PageBulk::zeroed(16);
    /// stock.refill();
    /// stock.clear();
    /// assert!(stock.is_empty());
    /// ```
    pub fn clear(&mut self) {
        let nr = self.pages.len() as c_ulong;
        if nr != 0 {
            // SAFETY: the pages are frozen blocks of order 0 that only the stock has; it forgets
            // them before anything else can happen.
            unsafe {
                self.pages.set_len(0);
                sys::free_frozen_pages_bulk(self.pages.as_mut_ptr().cast(), nr);
            }
        }
    }

    /// The number of pages.
    ///
    /// ```
    /// assert_eq!(usermm::PageBulk::zeroed(16).len(), 0);
    /// ```
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Is there no page?
    ///
    /// ```
    /// assert!(usermm::PageBulk::zeroed(16).is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// The most pages that it may hold.
    ///
    /// ```
    /// assert_eq!(usermm::PageBulk::zeroed(16).capacity(), 16);
    /// ```
    pub fn capacity(&self) -> usize {
        self.capacity
    }
}

impl<B: PageByte> Drop for PageBulk<B> {
    fn drop(&mut self) {
        self.clear();
    }
}

impl<B: PageByte> fmt::Debug for PageBulk<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PageBulk")
            .field("len", &self.len())
            .field("capacity", &self.capacity)
            .field("bytes", &(self.len() * PAGE_SIZE))
            .finish()
    }
}
