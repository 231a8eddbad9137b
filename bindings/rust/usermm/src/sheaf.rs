// SPDX-License-Identifier: MIT
//! Places put aside for code that must not fail.

use core::alloc::Layout;
use core::fmt;
use core::marker::PhantomData;
use core::ptr::NonNull;

use crate::cache::Cache;
use crate::cache_box::CacheBox;
use crate::error::{AllocError, NoMemory};
use crate::gfp::Gfp;
use crate::sys;

/// A stock of places of a cache: filled where the thread may wait, used where it must not fail.
///
/// One thread at a time uses a sheaf. Dropping it gives the places that are left back. Its boxes
/// are like all others of the cache.
///
/// ```
/// use usermm::Cache;
///
/// let cache = Cache::new("event");
/// let mut sheaf = cache.prefill(2)?;
/// let first = sheaf.alloc(1).expect("two places were put aside");
/// let second = sheaf.alloc(2).expect("two places were put aside");
/// assert_eq!(*first + *second, 3);
/// sheaf.refill(8)?;
/// assert!(sheaf.len() >= 8);
/// # Ok::<(), usermm::AllocError>(())
/// ```
pub struct Sheaf<'c, T> {
    raw: NonNull<sys::slab_sheaf>,
    cache: &'c Cache<T>,
    // Not shared between threads.
    one_thread: PhantomData<*mut ()>,
}

// SAFETY: one thread at a time uses it, whichever it is.
unsafe impl<T> Send for Sheaf<'_, T> {}

impl<'c, T> Sheaf<'c, T> {
    pub(crate) fn new(cache: &'c Cache<T>, size: u32) -> Result<Self, AllocError> {
        // SAFETY: the cache is alive.
        let raw =
            unsafe { sys::kmem_cache_prefill_sheaf(cache.as_ptr(), Gfp::KERNEL.bits(), size) };
        let raw = NonNull::new(raw).ok_or(AllocError::new(Layout::new::<T>()))?;
        Ok(Self { raw, cache, one_thread: PhantomData })
    }

    /// A value in one of the places; the value comes back if none is left. Never waits.
    ///
    /// ```
    /// let cache = usermm::Cache::new("number");
    /// let mut sheaf = cache.prefill(1)?;
    /// assert_eq!(*sheaf.alloc(7).unwrap(), 7);
    /// # Ok::<(), usermm::AllocError>(())
    /// ```
    pub fn alloc(&mut self, value: T) -> Result<CacheBox<T, &'c Cache<T>>, NoMemory<T>> {
        // SAFETY: the sheaf is of the cache, and is borrowed alone.
        let place = unsafe {
            sys::kmem_cache_alloc_from_sheaf(
                self.cache.as_ptr(),
                Gfp::NOWAIT.bits(),
                self.raw.as_ptr(),
            )
        };
        match NonNull::new(place) {
            // SAFETY: the place is fresh, and of the cache.
            Some(place) => Ok(unsafe { CacheBox::put(place.cast(), value, self.cache) }),
            None => Err(NoMemory::new(AllocError::new(Layout::new::<T>()), value)),
        }
    }

    /// Fills the stock up to at least `size` places. May wait. Without memory the stock is as
    /// before.
    ///
    /// ```
    /// let cache = usermm::Cache::<u64>::new("number");
    /// let mut sheaf = cache.prefill(1)?;
    /// sheaf.refill(100)?;
    /// assert!(sheaf.len() >= 100);
    /// # Ok::<(), usermm::AllocError>(())
    /// ```
    pub fn refill(&mut self, size: u32) -> Result<(), AllocError> {
        let mut raw = self.raw.as_ptr();
        // SAFETY: the sheaf is of the cache, and is borrowed alone.
        let failed = unsafe {
            sys::kmem_cache_refill_sheaf(
                self.cache.as_ptr(),
                Gfp::KERNEL.bits(),
                &raw mut raw,
                size,
            )
        };
        if let Some(new) = NonNull::new(raw) {
            self.raw = new;
        }
        if failed == 0 { Ok(()) } else { Err(AllocError::new(Layout::new::<T>())) }
    }

    /// The number of places left.
    ///
    /// ```
    /// let cache = usermm::Cache::<u64>::new("number");
    /// assert!(cache.prefill(10)?.len() >= 10);
    /// # Ok::<(), usermm::AllocError>(())
    /// ```
    pub fn len(&self) -> usize {
        // SAFETY: the sheaf is alive.
        unsafe { sys::kmem_cache_sheaf_size(self.raw.as_ptr()) as usize }
    }

    /// Is no place left?
    ///
    /// ```
    /// let cache = usermm::Cache::<u64>::new("number");
    /// assert!(!cache.prefill(1)?.is_empty());
    /// # Ok::<(), usermm::AllocError>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<T> Drop for Sheaf<'_, T> {
    fn drop(&mut self) {
        // SAFETY: the sheaf is of the cache, and is not used any more.
        unsafe {
            sys::kmem_cache_return_sheaf(
                self.cache.as_ptr(),
                Gfp::KERNEL.bits(),
                self.raw.as_ptr(),
            );
        }
    }
}

impl<T> fmt::Debug for Sheaf<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sheaf").field("len", &self.len()).finish_non_exhaustive()
    }
}
