// SPDX-License-Identifier: MIT
//! Quicklists: pages that are kept in a known state.

use core::alloc::Layout;
use core::ffi::{c_int, c_long, c_ulong, c_void};
use core::fmt;
use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;

use crate::error::{AllocError, CacheError};
use crate::gfp::Gfp;
use crate::page::PAGE_SIZE;
use crate::sys;

/// The list uses a page's first word as its link.
const LINK_BYTES: usize = size_of::<usize>();

/// The bytes of a page.
///
/// ```
/// let page = usermm::Page::zeroed();
/// assert_eq!(page[4095], 0);
/// ```
#[derive(Clone, PartialEq, Eq)]
#[repr(C, align(4096))]
pub struct Page([u8; PAGE_SIZE]);

impl Page {
    /// A page of zero bytes, on the stack.
    ///
    /// ```
    /// assert!(usermm::Page::zeroed().iter().all(|byte| *byte == 0));
    /// ```
    pub const fn zeroed() -> Self {
        Self([0; PAGE_SIZE])
    }
}

impl Deref for Page {
    type Target = [u8; PAGE_SIZE];

    #[inline]
    fn deref(&self) -> &[u8; PAGE_SIZE] {
        &self.0
    }
}

impl DerefMut for Page {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8; PAGE_SIZE] {
        &mut self.0
    }
}

impl fmt::Debug for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Page")
    }
}

/// A state of pages: what a page of a [`Quicklist`] holds while nobody uses it.
///
/// The first 8 bytes are zero in every state, since the list uses them. The functions run in any
/// thread that allocates, when memory runs short also for the pages of others, so they must not
/// wait for a lock whose holder allocates. A panic in one of them ends the process.
///
/// ```
/// use usermm::{Page, PageState, Quicklist};
///
/// /// Pages of the byte 7, but for the first word.
/// struct Sevens;
///
/// impl PageState for Sevens {
///     fn build(page: &mut Page) -> bool {
///         page[8..].fill(7);
///         true
///     }
///
///     fn first_wrong(page: &Page) -> Option<usize> {
///         page.iter().skip(8).position(|byte| *byte != 7).map(|i| i + 8)
///     }
/// }
///
/// let sevens = Quicklist::<Sevens>::new(c"sevens");
/// let page = sevens.get();
/// assert_eq!((page[7], page[8]), (0, 7));
/// ```
pub trait PageState: 'static {
    /// Builds the state in a page of zero bytes. False if that fails: the page goes back, and the
    /// request gets none.
    ///
    /// ```
    /// use usermm::{Page, PageState};
    ///
    /// struct Ends;
    /// impl PageState for Ends {
    ///     fn build(page: &mut Page) -> bool {
    ///         page[4095] = 1;
    ///         true
    ///     }
    ///     # fn first_wrong(page: &Page) -> Option<usize> { (page[4095] != 1).then_some(4095) }
    /// }
    /// ```
    fn build(page: &mut Page) -> bool;

    /// The offset of the first byte that is not in the state; bytes 0 to 7 do not count.
    ///
    /// ```
    /// use usermm::{Page, PageState, Zeroed};
    ///
    /// let mut page = Page::zeroed();
    /// page[100] = 1;
    /// assert_eq!(Zeroed::first_wrong(&page), Some(100));
    /// ```
    fn first_wrong(page: &Page) -> Option<usize>;

    /// The page, in its state, goes back to the page allocator.
    ///
    /// ```
    /// use usermm::{Page, PageState, Zeroed};
    ///
    /// Zeroed::release(&mut Page::zeroed());
    /// ```
    fn release(page: &mut Page) {
        let _ = page;
    }

    /// Brings a page back to the state, whatever it holds. False if that fails: the page then goes
    /// to [`release`](Self::release) and the page allocator. Unless a state has a shorter way, the
    /// page is cleared and built anew.
    ///
    /// ```
    /// use usermm::{Page, PageState, Zeroed};
    ///
    /// let mut page = Page::zeroed();
    /// page[100] = 1;
    /// assert!(Zeroed::restore(&mut page));
    /// assert_eq!(Zeroed::first_wrong(&page), None);
    /// ```
    fn restore(page: &mut Page) -> bool {
        page.fill(0);
        Self::build(page)
    }
}

/// The state of all zero bytes.
///
/// ```
/// let zeroed = usermm::Quicklist::<usermm::Zeroed>::new(c"zeroed");
/// assert!(zeroed.get().iter().all(|byte| *byte == 0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zeroed;

impl PageState for Zeroed {
    fn build(_page: &mut Page) -> bool {
        true
    }

    fn first_wrong(page: &Page) -> Option<usize> {
        page.iter().skip(LINK_BYTES).position(|byte| *byte != 0).map(|i| i + LINK_BYTES)
    }
}

/// Lists of pages in a known state, one for each CPU.
///
/// Page tables, zeroed buffers and the like are freed in the state that the next user needs. A
/// quicklist keeps the page so: neither [`get`](Self::get) nor [`QuickPage::put`] clears or builds
/// anything. When memory runs short, pages go back by themselves.
///
/// ```
/// use usermm::{Quicklist, Zeroed};
///
/// let tables = Quicklist::<Zeroed>::new(c"tables");
/// let mut table = tables.get();
/// table[100] = 1;
/// table[100] = 0; // as it was found
/// table.put(); // nothing is cleared
///
/// let mut table = tables.get();
/// table[100] = 1;
/// drop(table); // cleared, and put back
/// assert!(tables.get().iter().all(|byte| *byte == 0));
/// ```
pub struct Quicklist<S: PageState> {
    raw: NonNull<sys::quicklist_cache>,
    state: PhantomData<fn() -> S>,
}

// SAFETY: the library's calls may come from any thread. States have functions, and no values.
unsafe impl<S: PageState> Send for Quicklist<S> {}
// SAFETY: as above.
unsafe impl<S: PageState> Sync for Quicklist<S> {}

impl<S: PageState> Quicklist<S> {
    const STATE: sys::quicklist_state = sys::quicklist_state {
        ctor: Some(build::<S>),
        dtor: Some(release::<S>),
        check: Some(check::<S>),
    };

    /// A quicklist; reports show the name. Without memory the process ends as it does for
    /// `Box::new()`.
    ///
    /// ```
    /// let zeroed = usermm::Quicklist::<usermm::Zeroed>::new(c"zeroed");
    /// assert_eq!(zeroed.stats().pages, 0);
    /// ```
    pub fn new(name: &'static core::ffi::CStr) -> Self {
        match Self::try_new(name) {
            Ok(list) => list,
            Err(_) => AllocError::new(Layout::new::<Self>()).handle(),
        }
    }

    /// A quicklist, or an error without memory.
    ///
    /// ```
    /// let zeroed = usermm::Quicklist::<usermm::Zeroed>::try_new(c"zeroed")?;
    /// # Ok::<(), usermm::CacheError>(())
    /// ```
    pub fn try_new(name: &'static core::ffi::CStr) -> Result<Self, CacheError> {
        // SAFETY: the name lives for good; the state is copied.
        let raw = unsafe { sys::quicklist_cache_create_state(name.as_ptr(), &Self::STATE) };
        let raw = NonNull::new(raw).ok_or(CacheError::NoMemory)?;
        Ok(Self { raw, state: PhantomData })
    }

    /// A page in its state. May wait for memory; without any, or if the state cannot be built, the
    /// process ends as it does for `Box::new()`.
    ///
    /// ```
    /// let zeroed = usermm::Quicklist::<usermm::Zeroed>::new(c"zeroed");
    /// assert_eq!(zeroed.get()[4095], 0);
    /// ```
    #[inline]
    pub fn get(&self) -> QuickPage<'_, S> {
        match self.try_get(Gfp::KERNEL) {
            Ok(page) => page,
            Err(error) => error.handle(),
        }
    }

    /// A page in its state, or an error without memory, or if the state cannot be built.
    ///
    /// ```
    /// use usermm::{Gfp, Quicklist, Zeroed};
    ///
    /// let zeroed = Quicklist::<Zeroed>::new(c"zeroed");
    /// assert_eq!(zeroed.try_get(Gfp::NOWAIT)?[0], 0);
    /// # Ok::<(), usermm::AllocError>(())
    /// ```
    #[inline]
    pub fn try_get(&self, gfp: Gfp) -> Result<QuickPage<'_, S>, AllocError> {
        // SAFETY: the quicklist is alive.
        let page = unsafe { sys::quicklist_cache_alloc(self.raw.as_ptr(), gfp.bits()) };
        match NonNull::new(page) {
            Some(page) => Ok(QuickPage { page: page.cast(), list: self }),
            None => Err(AllocError::new(Layout::new::<Page>())),
        }
    }

    /// Frees pages of this CPU's list beyond `min_pages`, at most `max_free` of them. Answers how
    /// many went back.
    ///
    /// ```
    /// let zeroed = usermm::Quicklist::<usermm::Zeroed>::new(c"zeroed");
    /// zeroed.get().put();
    /// assert!(zeroed.trim(0, 16) <= 1);
    /// ```
    pub fn trim(&self, min_pages: usize, max_free: usize) -> usize {
        let (min_pages, max_free) = (min_pages as c_ulong, max_free as c_ulong);
        // SAFETY: the quicklist is alive.
        unsafe { sys::quicklist_cache_trim(self.raw.as_ptr(), min_pages, max_free) as usize }
    }

    /// Empties the lists of all CPUs. Answers how many pages went back.
    ///
    /// ```
    /// let zeroed = usermm::Quicklist::<usermm::Zeroed>::new(c"zeroed");
    /// zeroed.get().put();
    /// zeroed.shrink();
    /// assert_eq!(zeroed.stats().pages, 0);
    /// ```
    pub fn shrink(&self) -> usize {
        // SAFETY: the quicklist is alive.
        unsafe { sys::quicklist_cache_shrink(self.raw.as_ptr()) as usize }
    }

    /// Counts since the start.
    ///
    /// ```
    /// let zeroed = usermm::Quicklist::<usermm::Zeroed>::new(c"zeroed");
    /// zeroed.get().put();
    /// let stats = zeroed.stats();
    /// assert_eq!((stats.misses, stats.ctors), (1, 1));
    /// ```
    pub fn stats(&self) -> QuicklistStats {
        let mut raw = sys::quicklist_stats::default();
        // SAFETY: the quicklist is alive.
        unsafe { sys::quicklist_cache_stats(self.raw.as_ptr(), &raw mut raw) };
        QuicklistStats {
            pages: raw.pages as usize,
            misses: raw.misses as usize,
            returned: raw.returned as usize,
            trimmed: raw.trimmed as usize,
            hits: raw.hits as usize,
            ctors: raw.ctors as usize,
            dtors: raw.dtors as usize,
        }
    }
}

impl<S: PageState> Drop for Quicklist<S> {
    fn drop(&mut self) {
        // SAFETY: pages borrow the quicklist, so none is left, and no thread uses it.
        unsafe { sys::quicklist_cache_destroy(self.raw.as_ptr()) };
    }
}

impl<S: PageState> fmt::Debug for Quicklist<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Quicklist").field("stats", &self.stats()).finish_non_exhaustive()
    }
}

/// Counts of a quicklist since the start, for all CPUs together.
///
/// ```
/// let zeroed = usermm::Quicklist::<usermm::Zeroed>::new(c"zeroed");
/// let page = zeroed.get();
/// assert_eq!(zeroed.stats().misses, 1);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct QuicklistStats {
    /// Pages on the lists now; approximate while other threads use them.
    pub pages: usize,
    /// Pages that came from the page allocator.
    pub misses: usize,
    /// Pages that went back.
    pub returned: usize,
    /// The part of them due to trim, shrink or memory pressure.
    pub trimmed: usize,
    /// Pages handed out from a list; counted only with the option `quicklist_debug=`.
    pub hits: usize,
    /// Calls of [`PageState::build`] by the library.
    pub ctors: usize,
    /// Calls of [`PageState::release`].
    pub dtors: usize,
}

/// A page of a [`Quicklist`].
///
/// [`put`](Self::put) gives it back as it is; dropping it brings it back to its state first.
///
/// ```
/// let zeroed = usermm::Quicklist::<usermm::Zeroed>::new(c"zeroed");
/// let mut page = zeroed.get();
/// page[4095] = 1;
/// drop(page); // cleared
/// assert_eq!(zeroed.get()[4095], 0);
/// ```
pub struct QuickPage<'q, S: PageState> {
    page: NonNull<Page>,
    list: &'q Quicklist<S>,
}

// SAFETY: the page is owned, as by Box; any thread may put it back.
unsafe impl<S: PageState> Send for QuickPage<'_, S> {}
// SAFETY: as above.
unsafe impl<S: PageState> Sync for QuickPage<'_, S> {}

impl<S: PageState> QuickPage<'_, S> {
    /// Gives the page back. It is in its state again, but for the first 8 bytes; the caller sees to
    /// that. Builds with debug assertions check it.
    ///
    /// # Panics
    ///
    /// With debug assertions, if a byte is not in the state.
    ///
    /// ```
    /// let zeroed = usermm::Quicklist::<usermm::Zeroed>::new(c"zeroed");
    /// let mut page = zeroed.get();
    /// page[100] = 1;
    /// page[100] = 0;
    /// page.put();
    /// ```
    #[inline]
    #[track_caller]
    pub fn put(self) {
        if cfg!(debug_assertions) {
            if let Some(offset) = S::first_wrong(&self) {
                panic!("put() of a page that is not in its state: byte {offset} is wrong");
            }
        }
        let this = ManuallyDrop::new(self);
        this.give_back();
    }

    #[inline]
    fn give_back(&self) {
        let list = self.list.raw.as_ptr();
        // SAFETY: the page came from this quicklist, and its owner does not use it any more.
        unsafe { sys::quicklist_cache_free(list, self.page.as_ptr().cast()) };
    }
}

impl<S: PageState> Drop for QuickPage<'_, S> {
    fn drop(&mut self) {
        if S::restore(self) {
            self.give_back();
            return;
        }
        // A page without its state must not be on the list.
        S::release(self);
        // SAFETY: a page that came from a quicklist may go to the page allocator instead.
        unsafe { sys::free_pages(self.page.as_ptr().expose_provenance() as c_ulong, 0) };
    }
}

impl<S: PageState> Deref for QuickPage<'_, S> {
    type Target = Page;

    #[inline]
    fn deref(&self) -> &Page {
        // SAFETY: the page is owned, and its bytes were written: it came zeroed.
        unsafe { self.page.as_ref() }
    }
}

impl<S: PageState> DerefMut for QuickPage<'_, S> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Page {
        // SAFETY: as in deref(), and the page is borrowed alone.
        unsafe { self.page.as_mut() }
    }
}

impl<S: PageState> fmt::Debug for QuickPage<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QuickPage").field("page", &self.page).finish_non_exhaustive()
    }
}

/// # Safety
///
/// The page is the library's, of zero bytes, and nobody else's.
unsafe extern "C" fn build<S: PageState>(page: *mut c_void) -> c_int {
    // SAFETY: the caller promises it.
    let page = unsafe { &mut *page.cast::<Page>() };
    (!S::build(page)).into()
}

/// # Safety
///
/// The page is the library's, and nobody else's.
unsafe extern "C" fn release<S: PageState>(page: *mut c_void) {
    // SAFETY: the caller promises it.
    S::release(unsafe { &mut *page.cast::<Page>() });
}

/// # Safety
///
/// The page is the library's, and nobody changes it.
unsafe extern "C" fn check<S: PageState>(page: *const c_void) -> c_long {
    // SAFETY: the caller promises it.
    let page = unsafe { &*page.cast::<Page>() };
    S::first_wrong(page).map_or(-1, |offset| offset as c_long)
}
