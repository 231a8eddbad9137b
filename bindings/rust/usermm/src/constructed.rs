// SPDX-License-Identifier: MIT
//! Caches whose values stay built between their uses.

use core::alloc::Layout;
use core::ffi::c_void;
use core::fmt;
use core::ops::Deref;
use core::ptr::NonNull;

use crate::cache::{Cache, unwrap_or_panic};
use crate::cache_box::{CacheBox, CacheHandle};
use crate::error::{AllocError, CacheError, ObjectsAlive};
use crate::gfp::Gfp;

/// A cache with a constructor, as kmem_cache has it: a value is built once, when its memory is
/// made, and then goes from user to user as it is.
///
/// It saves building values that are dear to build and that users leave as they found them: tables,
/// buffers, locks. [`get`](Self::get) gives a value that is new, or as its last user left it.
/// Values are never dropped, so their type must not need that: a `ConstructedCache<String>` does
/// not compile. Values move between threads by the cache, so they are `Send`. The constructor must
/// not panic, since the library calls it: a panic ends the process.
///
/// A guarded value ([`kfence_sample`](crate::Options::kfence_sample)) is always new: what its last
/// user left is gone.
///
/// ```
/// use usermm::ConstructedCache;
///
/// struct Table {
///     squares: [u32; 64],
///     hits: u32,
/// }
///
/// let tables = ConstructedCache::new("table", || Table {
///     squares: std::array::from_fn(|i| (i * i) as u32),
///     hits: 0,
/// });
/// let mut table = tables.get();
/// assert_eq!(table.squares[8], 64);
/// table.hits += 1;
/// table.hits = 0; // as it was found
/// ```
pub struct ConstructedCache<T> {
    cache: Cache<T>,
    values: core::marker::PhantomData<T>,
}

// SAFETY: the library's calls may come from any thread. Values go from thread to thread through the
// cache, and the constructor runs in any thread: so a cache is only made of values that are Send.
// Nobody shares a value.
unsafe impl<T: Send> Send for ConstructedCache<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for ConstructedCache<T> {}

impl<T: Send> ConstructedCache<T> {
    /// A cache whose values the closure builds. The closure must capture nothing.
    ///
    /// # Panics
    ///
    /// As [`Cache::new`].
    ///
    /// ```
    /// let cache = usermm::ConstructedCache::new("zeroes", || [0_u8; 256]);
    /// assert_eq!(cache.get()[255], 0);
    /// ```
    #[track_caller]
    pub fn new<F>(name: &str, build: F) -> Self
    where
        F: Fn() -> T + Copy + Send + Sync + 'static,
    {
        unwrap_or_panic(Self::try_new(name, build))
    }

    /// A cache whose values the closure builds, or why there is none.
    ///
    /// ```
    /// use usermm::{CacheError, ConstructedCache};
    ///
    /// let cache = ConstructedCache::try_new("zeroes", || [0_u8; 256])?;
    /// assert_eq!(ConstructedCache::try_new("", || 0_u64).unwrap_err(), CacheError::Name);
    /// # Ok::<(), CacheError>(())
    /// ```
    pub fn try_new<F>(name: &str, build: F) -> Result<Self, CacheError>
    where
        F: Fn() -> T + Copy + Send + Sync + 'static,
    {
        Cache::builder(name).build_constructed(build)
    }

    pub(crate) const fn of(cache: Cache<T>) -> Self {
        Self { cache, values: core::marker::PhantomData }
    }

    /// A value: new, or as its last user left it. May wait for memory; without any the process ends
    /// as it does for `Box::new()`.
    ///
    /// ```
    /// let cache = usermm::ConstructedCache::new("seven", || 7);
    /// assert_eq!(*cache.get(), 7);
    /// ```
    #[inline]
    pub fn get(&self) -> CacheBox<T, &Self> {
        Self::get_in(self)
    }

    /// [`get`](Self::get) with flags, or an error without memory.
    ///
    /// ```
    /// use usermm::{ConstructedCache, Gfp};
    ///
    /// let cache = ConstructedCache::new("seven", || 7);
    /// assert_eq!(*cache.try_get(Gfp::NOWAIT)?, 7);
    /// # Ok::<(), usermm::AllocError>(())
    /// ```
    #[inline]
    pub fn try_get(&self, gfp: Gfp) -> Result<CacheBox<T, &Self>, AllocError> {
        Self::try_get_in(self, gfp)
    }

    /// [`get`](Self::get) of a box that shares the cache.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use usermm::ConstructedCache;
    ///
    /// let cache = Arc::new(ConstructedCache::new("seven", || 7));
    /// let seven = ConstructedCache::get_in(Arc::clone(&cache));
    /// drop(cache);
    /// assert_eq!(*seven, 7);
    /// ```
    #[inline]
    pub fn get_in<H>(handle: H) -> CacheBox<T, H>
    where
        H: CacheHandle<T> + Deref<Target = Self>,
    {
        match Self::try_get_in(handle, Gfp::KERNEL) {
            Ok(value) => value,
            Err(error) => error.handle(),
        }
    }

    /// [`try_get`](Self::try_get) of a box that shares the cache.
    ///
    /// ```
    /// use std::rc::Rc;
    /// use usermm::{ConstructedCache, Gfp};
    ///
    /// let cache = Rc::new(ConstructedCache::new("seven", || 7));
    /// assert_eq!(*ConstructedCache::try_get_in(Rc::clone(&cache), Gfp::KERNEL)?, 7);
    /// # Ok::<(), usermm::AllocError>(())
    /// ```
    #[inline]
    pub fn try_get_in<H>(handle: H, gfp: Gfp) -> Result<CacheBox<T, H>, AllocError>
    where
        H: CacheHandle<T> + Deref<Target = Self>,
    {
        // A zeroed value would not be the one that was built.
        let place = handle.cache().place(gfp.without(Gfp::ZERO));
        let value = NonNull::new(place).ok_or(AllocError::new(Layout::new::<T>()))?;
        // SAFETY: the constructor has built the value, or its last user left one; nobody has it.
        Ok(unsafe { CacheBox::from_raw(value, handle) })
    }

    /// Destroys the cache, unless values of it are in use: see [`Cache::destroy`].
    ///
    /// ```
    /// let cache = usermm::ConstructedCache::new("seven", || 7);
    /// drop(cache.get());
    /// cache.destroy().unwrap();
    /// ```
    pub fn destroy(self) -> Result<(), ObjectsAlive<Self>> {
        if self.cache.shrink() { Ok(()) } else { Err(ObjectsAlive::new(self)) }
    }
}

/// What does not get or build values: see [`Cache`].
impl<T> Deref for ConstructedCache<T> {
    type Target = Cache<T>;

    #[inline]
    fn deref(&self) -> &Cache<T> {
        &self.cache
    }
}

impl<T> fmt::Debug for ConstructedCache<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConstructedCache")
            .field("object_bytes", &self.object_bytes())
            .finish_non_exhaustive()
    }
}

/// The constructor for the library: builds a value in a place.
///
/// # Safety
///
/// The place is one of a cache of `T`. `F` has no bytes, and a value of it exists.
pub(crate) unsafe extern "C" fn construct<T, F: Fn() -> T + Copy>(place: *mut c_void) {
    // SAFETY: the closure has no bytes, so any aligned address has one; it may be copied.
    let build = unsafe { NonNull::<F>::dangling().read() };
    let value = build();
    // SAFETY: the place has the size and the alignment of a value.
    unsafe { place.cast::<T>().write(value) };
}
