// SPDX-License-Identifier: MIT
//! Blocks of pages.

use core::alloc::Layout;
use core::fmt;
use core::marker::PhantomData;
use core::mem::{ManuallyDrop, MaybeUninit};
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;
use core::slice;

use crate::error::{AllocError, PageError};
use crate::gfp::Gfp;
use crate::sys;

/// Bytes of a page of the allocator, whatever the machine's page size is.
///
/// ```
/// assert_eq!(usermm::PageBlock::zeroed(0).len(), usermm::PAGE_SIZE);
/// ```
pub const PAGE_SIZE: usize = sys::PAGE_SIZE;

/// The highest order: a block has at most 2^10 pages, which are 4 MiB.
///
/// ```
/// assert_eq!(usermm::PAGE_SIZE << usermm::MAX_ORDER, 4 << 20);
/// ```
pub const MAX_ORDER: u32 = sys::MAX_PAGE_ORDER;

/// The smallest order whose block holds so many bytes; it may be above [`MAX_ORDER`].
///
/// ```
/// assert_eq!(usermm::order_of(1), 0);
/// assert_eq!(usermm::order_of(4097), 1);
/// assert_eq!(usermm::order_of(4 << 20), usermm::MAX_ORDER);
/// ```
pub const fn order_of(bytes: usize) -> u32 {
    let pages = bytes.div_ceil(PAGE_SIZE);
    if pages <= 1 { 0 } else { (pages - 1).ilog2() + 1 }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for u8 {}
    impl Sealed for core::mem::MaybeUninit<u8> {}
}

/// A byte of a block: `u8`, or `MaybeUninit<u8>` if nobody has written to it yet.
///
/// ```
/// use std::mem::MaybeUninit;
/// use usermm::{PageBlock, PageByte};
///
/// fn bytes<B: PageByte>(block: &PageBlock<B>) -> usize {
///     block.len()
/// }
/// assert_eq!(bytes(&PageBlock::zeroed(0)), bytes(&PageBlock::uninit(0)));
/// ```
pub trait PageByte: sealed::Sealed + Copy + Send + Sync + 'static {
    /// What a request for such bytes needs besides the caller's flags.
    #[doc(hidden)]
    const FLAGS: Gfp;
}

impl PageByte for u8 {
    const FLAGS: Gfp = Gfp::ZERO;
}

impl PageByte for MaybeUninit<u8> {
    const FLAGS: Gfp = Gfp::from_bits(0);
}

/// 2^order pages, contiguous and aligned to their size, owned like a `Box<[u8]>`.
///
/// A block is an array of bytes. Pages are at most 4 MiB together; larger blocks are for the global
/// allocator. The block has no reference count: it is a frozen block, in Linux's words.
///
/// ```
/// use usermm::PageBlock;
///
/// let mut block = PageBlock::zeroed(2);
/// assert_eq!(block.len(), 4 * 4096);
/// assert!(block.as_ptr().addr() % block.len() == 0);
/// block[100] = 7;
/// assert_eq!(block.iter().map(|byte| u32::from(*byte)).sum::<u32>(), 7);
/// ```
pub struct PageBlock<B: PageByte = u8> {
    page: NonNull<sys::page>,
    start: NonNull<B>,
    order: u32,
    owned: PhantomData<B>,
}

// SAFETY: the block owns its bytes, as Box does; any thread may free it.
unsafe impl<B: PageByte> Send for PageBlock<B> {}
// SAFETY: as above.
unsafe impl<B: PageByte> Sync for PageBlock<B> {}

impl PageBlock {
    /// A block whose bytes are zero. May wait for memory.
    ///
    /// # Panics
    ///
    /// If the order is above [`MAX_ORDER`]. Without memory the process ends as it does for
    /// `Box::new()`.
    ///
    /// ```
    /// let block = usermm::PageBlock::zeroed(0);
    /// assert!(block.iter().all(|byte| *byte == 0));
    /// ```
    #[track_caller]
    pub fn zeroed(order: u32) -> Self {
        Self::try_zeroed(order, Gfp::KERNEL).unwrap_or_else(|error| error.handle())
    }

    /// A block whose bytes are zero, or why there is none.
    ///
    /// ```
    /// use usermm::{Gfp, PageBlock, PageError};
    ///
    /// let block = PageBlock::try_zeroed(3, Gfp::NOWAIT)?;
    /// assert_eq!(block.order(), 3);
    /// assert_eq!(PageBlock::try_zeroed(11, Gfp::KERNEL).unwrap_err(), PageError::Order(11));
    /// # Ok::<(), PageError>(())
    /// ```
    pub fn try_zeroed(order: u32, gfp: Gfp) -> Result<Self, PageError> {
        Self::try_new(order, gfp)
    }
}

impl PageBlock<MaybeUninit<u8>> {
    /// A block that nobody has written to. May wait for memory.
    ///
    /// # Panics
    ///
    /// As [`PageBlock::zeroed`].
    ///
    /// ```
    /// let block = usermm::PageBlock::uninit(0).fill(7);
    /// assert_eq!(block[4095], 7);
    /// ```
    #[track_caller]
    pub fn uninit(order: u32) -> Self {
        Self::try_uninit(order, Gfp::KERNEL).unwrap_or_else(|error| error.handle())
    }

    /// A block that nobody has written to, or why there is none.
    ///
    /// ```
    /// use usermm::{Gfp, PageBlock};
    ///
    /// let block = PageBlock::try_uninit(0, Gfp::NOWAIT)?;
    /// assert_eq!(block.fill(1)[0], 1);
    /// # Ok::<(), usermm::PageError>(())
    /// ```
    pub fn try_uninit(order: u32, gfp: Gfp) -> Result<Self, PageError> {
        Self::try_new(order, gfp)
    }

    /// Sets all bytes.
    ///
    /// ```
    /// let block = usermm::PageBlock::uninit(1).fill(0xff);
    /// assert!(block.iter().all(|byte| *byte == 0xff));
    /// ```
    pub fn fill(mut self, byte: u8) -> PageBlock {
        <[_]>::fill(&mut self, MaybeUninit::new(byte));
        // SAFETY: all bytes were written.
        unsafe { self.assume_init() }
    }

    /// The same block, all bytes of which were written.
    ///
    /// ```
    /// let mut block = usermm::PageBlock::uninit(0);
    /// for byte in block.iter_mut() {
    ///     byte.write(3);
    /// }
    /// // SAFETY: all bytes were written.
    /// let block = unsafe { block.assume_init() };
    /// assert_eq!(block[0], 3);
    /// ```
    ///
    /// # Safety
    ///
    /// All bytes of the block were written.
    pub unsafe fn assume_init(self) -> PageBlock {
        self.cast()
    }
}

impl<B: PageByte> PageBlock<B> {
    fn try_new(order: u32, gfp: Gfp) -> Result<Self, PageError> {
        if order > MAX_ORDER {
            return Err(PageError::Order(order));
        }
        // SAFETY: the order is one that there is.
        let page = unsafe { sys::alloc_frozen_pages((gfp | B::FLAGS).bits(), order) };
        match NonNull::new(page) {
            // SAFETY: the page is the first of a frozen block of this order, which nobody else has.
            Some(page) => Ok(unsafe { Self::from_page(page, order) }),
            None => Err(AllocError::new(layout(order)).into()),
        }
    }

    /// A block of its first page.
    ///
    /// ```
    /// use usermm::PageBlock;
    ///
    /// let (page, order) = PageBlock::zeroed(1).into_page();
    /// // SAFETY: page and order came from into_page() of a block whose bytes are zero.
    /// let block = unsafe { PageBlock::<u8>::from_page(page, order) };
    /// assert_eq!(block[0], 0);
    /// ```
    ///
    /// # Safety
    ///
    /// The page is the first of a frozen block of this order, nobody else has the block, and its
    /// bytes were written if `B` says so.
    pub unsafe fn from_page(page: NonNull<sys::page>, order: u32) -> Self {
        // SAFETY: the caller promises a page of the library; its address is not null.
        let start = unsafe { NonNull::new_unchecked(sys::page_address(page.as_ptr())) };
        Self { page, start: start.cast(), order, owned: PhantomData }
    }

    /// The block's first page and order, for the C interface. The caller frees the block.
    ///
    /// ```
    /// use usermm::{PageBlock, sys};
    ///
    /// let (page, order) = PageBlock::zeroed(1).into_page();
    /// // SAFETY: the block is frozen and has this order; nobody else has it.
    /// unsafe { sys::free_frozen_pages(page.as_ptr(), order) };
    /// ```
    pub fn into_page(self) -> (NonNull<sys::page>, u32) {
        let this = ManuallyDrop::new(self);
        (this.page, this.order)
    }

    fn cast<C: PageByte>(self) -> PageBlock<C> {
        let this = ManuallyDrop::new(self);
        PageBlock {
            page: this.page,
            start: this.start.cast(),
            order: this.order,
            owned: PhantomData,
        }
    }

    /// The same block as bytes that may hold anything.
    ///
    /// ```
    /// let block = usermm::PageBlock::zeroed(0).into_uninit();
    /// assert_eq!(block.len(), 4096);
    /// ```
    pub fn into_uninit(self) -> PageBlock<MaybeUninit<u8>> {
        self.cast()
    }

    /// The order: the block has 2^order pages.
    ///
    /// ```
    /// assert_eq!(usermm::PageBlock::zeroed(3).order(), 3);
    /// ```
    pub const fn order(&self) -> u32 {
        self.order
    }

    /// The number of pages.
    ///
    /// ```
    /// assert_eq!(usermm::PageBlock::zeroed(3).pages(), 8);
    /// ```
    pub const fn pages(&self) -> usize {
        1 << self.order
    }

    /// The number of the first page: its place in the window of all pages.
    ///
    /// ```
    /// let block = usermm::PageBlock::zeroed(3);
    /// assert!(block.pfn() % 8 == 0);
    /// ```
    pub fn pfn(&self) -> usize {
        // SAFETY: the page is one of the library's.
        unsafe { sys::page_to_pfn(self.page.as_ptr()) as usize }
    }

    /// Gives up the block: the bytes stay allocated for good.
    ///
    /// ```
    /// let bytes: &'static mut [u8] = usermm::PageBlock::zeroed(0).leak();
    /// bytes[0] = 1;
    /// ```
    pub fn leak<'a>(self) -> &'a mut [B] {
        let this = ManuallyDrop::new(self);
        // SAFETY: nobody else has the block, and nobody frees it.
        unsafe { slice::from_raw_parts_mut(this.start.as_ptr(), PAGE_SIZE << this.order) }
    }
}

fn layout(order: u32) -> Layout {
    let bytes = PAGE_SIZE << order;
    Layout::from_size_align(bytes, bytes).unwrap_or(Layout::new::<u8>())
}

impl<B: PageByte> Drop for PageBlock<B> {
    fn drop(&mut self) {
        // SAFETY: the block is frozen and has this order; nobody else has it.
        unsafe { sys::free_frozen_pages(self.page.as_ptr(), self.order) };
    }
}

impl<B: PageByte> Deref for PageBlock<B> {
    type Target = [B];

    #[inline]
    fn deref(&self) -> &[B] {
        // SAFETY: the block owns so many bytes, which were written if B says so.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), PAGE_SIZE << self.order) }
    }
}

impl<B: PageByte> DerefMut for PageBlock<B> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [B] {
        // SAFETY: as in deref(), and the block is borrowed alone.
        unsafe { slice::from_raw_parts_mut(self.start.as_ptr(), PAGE_SIZE << self.order) }
    }
}

impl<B: PageByte> AsRef<[B]> for PageBlock<B> {
    fn as_ref(&self) -> &[B] {
        self
    }
}

impl<B: PageByte> AsMut<[B]> for PageBlock<B> {
    fn as_mut(&mut self) -> &mut [B] {
        self
    }
}

impl<B: PageByte> fmt::Debug for PageBlock<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PageBlock")
            .field("start", &self.start)
            .field("order", &self.order)
            .finish_non_exhaustive()
    }
}
