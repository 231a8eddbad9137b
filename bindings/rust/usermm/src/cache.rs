// SPDX-License-Identifier: MIT
//! Typed caches: kmem_cache for values of one type.

use core::alloc::Layout;
use core::array;
use core::ffi::{CStr, c_uint, c_void};
use core::fmt;
use core::marker::PhantomData;
use core::mem::{ManuallyDrop, MaybeUninit};
use core::ptr::NonNull;

use crate::cache_box::CacheBox;
use crate::constructed::{ConstructedCache, construct};
use crate::error::{AllocError, CacheError, NoMemory, ObjectsAlive};
use crate::gfp::Gfp;
use crate::sheaf::Sheaf;
use crate::sys;

/// Builds a value in a place.
type Constructor = unsafe extern "C" fn(*mut c_void);

/// The longest name, with its zero byte.
const NAME_BYTES: usize = 128;

/// A cache of values of type `T`: Linux's kmem_cache, with types.
///
/// A cache is faster than malloc, keeps its values side by side, and has a line of its own in the
/// statistics. Any thread may allocate and free. [`ConstructedCache`] keeps values built between
/// their uses.
///
/// A [`CacheBox`] borrows the cache, or shares it, so a cache cannot be dropped before its values.
/// A value that was leaked, or taken out by [`CacheBox::into_raw`], may still be there:
/// [`destroy`](Self::destroy) then refuses, and dropping the cache reports the value on stderr and
/// keeps its memory.
///
/// ```
/// use usermm::{Cache, CacheBox};
///
/// struct Request {
///     url: String,
///     hits: u32,
/// }
///
/// let cache = Cache::<Request>::new("request");
/// let mut request = cache.alloc(Request { url: "/index".into(), hits: 0 });
/// request.hits += 1;
/// assert_eq!((request.url.as_str(), request.hits), ("/index", 1));
/// ```
///
/// A cache for the whole program is a static, and its boxes have the short type `CacheBox<T>`:
///
/// ```
/// use std::sync::LazyLock;
/// use usermm::{Cache, CacheBox};
///
/// static POINTS: LazyLock<Cache<[f64; 3]>> = LazyLock::new(|| Cache::new("point"));
///
/// let point: CacheBox<[f64; 3]> = POINTS.alloc([0.0, 1.0, 2.0]);
/// std::thread::spawn(move || assert_eq!(point[1], 1.0)).join().unwrap();
/// ```
///
/// A cache that is part of a structure is shared by its boxes:
///
/// ```
/// use std::sync::Arc;
/// use usermm::{Cache, CacheBox};
///
/// struct Pool {
///     cache: Arc<Cache<u64>>,
///     numbers: Vec<CacheBox<u64, Arc<Cache<u64>>>>,
/// }
///
/// let mut pool = Pool { cache: Arc::new(Cache::new("number")), numbers: Vec::new() };
/// pool.numbers.push(CacheBox::new_in(7, Arc::clone(&pool.cache)));
/// assert_eq!(*pool.numbers[0], 7);
/// ```
pub struct Cache<T> {
    raw: NonNull<sys::kmem_cache>,
    ctor: Option<Constructor>,
    values: PhantomData<fn(T) -> T>,
}

// SAFETY: the library's calls may come from any thread, and the cache itself has no values: boxes
// have them.
unsafe impl<T> Send for Cache<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Cache<T> {}

impl<T> Cache<T> {
    /// A cache. People see the name in statistics; several caches may have the same.
    ///
    /// # Panics
    ///
    /// If the name has no bytes or more than 127, or if values are larger than 4 MiB. Without
    /// memory the process ends as it does for `Box::new()`; [`try_new`](Self::try_new) returns the
    /// error.
    ///
    /// ```
    /// let cache = usermm::Cache::<[u8; 100]>::new("packet");
    /// assert_eq!(cache.object_bytes(), 100);
    /// ```
    #[track_caller]
    pub fn new(name: &str) -> Self {
        Self::builder(name).build_or_panic()
    }

    /// A cache, or why there is none.
    ///
    /// ```
    /// use usermm::{Cache, CacheError};
    ///
    /// let cache = Cache::<u64>::try_new("number")?;
    /// assert!(matches!(Cache::<[u8; 5 << 20]>::try_new("large"), Err(CacheError::TooLarge(_))));
    /// # Ok::<(), CacheError>(())
    /// ```
    pub fn try_new(name: &str) -> Result<Self, CacheError> {
        Self::builder(name).build()
    }

    /// Says more about a cache before it is made.
    ///
    /// ```
    /// let cache = usermm::Cache::<u8>::builder("line").align(64).build()?;
    /// assert!((&raw const *cache.alloc(1)).addr() % 64 == 0);
    /// # Ok::<(), usermm::CacheError>(())
    /// ```
    pub const fn builder(name: &str) -> CacheBuilder<'_, T> {
        CacheBuilder {
            name,
            align: align_of::<T>(),
            flags: sys::SLAB_NO_MERGE,
            values: PhantomData,
        }
    }

    /// Allocates a value. May wait for memory; without any the process ends as it does for
    /// `Box::new()`.
    ///
    /// ```
    /// let cache = usermm::Cache::new("number");
    /// assert_eq!(*cache.alloc(7), 7);
    /// ```
    #[inline]
    pub fn alloc(&self, value: T) -> CacheBox<T, &Self> {
        CacheBox::new_in(value, self)
    }

    /// Allocates a value. Without memory the value comes back with the error.
    ///
    /// ```
    /// let cache = usermm::Cache::new("text");
    /// match cache.try_alloc(String::from("text")) {
    ///     Ok(text) => assert_eq!(*text, "text"),
    ///     Err(error) => println!("kept: {}", error.into_value()),
    /// }
    /// ```
    #[inline]
    pub fn try_alloc(&self, value: T) -> Result<CacheBox<T, &Self>, NoMemory<T>> {
        self.try_alloc_with(value, Gfp::KERNEL)
    }

    /// [`try_alloc`](Self::try_alloc) with flags, for example where the thread must not wait.
    ///
    /// ```
    /// use usermm::{Cache, Gfp};
    ///
    /// let cache = Cache::new("number");
    /// let number = cache.try_alloc_with(7, Gfp::NOWAIT)?;
    /// assert_eq!(*number, 7);
    /// # Ok::<(), usermm::NoMemory<i32>>(())
    /// ```
    #[inline]
    pub fn try_alloc_with(&self, value: T, gfp: Gfp) -> Result<CacheBox<T, &Self>, NoMemory<T>> {
        CacheBox::try_new_in(value, self, gfp)
    }

    /// Allocates `N` values by one call. If there is no memory for all, there is none.
    ///
    /// ```
    /// let cache = usermm::Cache::new("number");
    /// let numbers = cache.try_alloc_array::<16>(|i| i * i)?;
    /// assert_eq!(*numbers[3], 9);
    /// # Ok::<(), usermm::AllocError>(())
    /// ```
    pub fn try_alloc_array<const N: usize>(
        &self,
        mut value: impl FnMut(usize) -> T,
    ) -> Result<[CacheBox<T, &Self>; N], AllocError> {
        let mut objects = [const { MaybeUninit::<*mut c_void>::uninit() }; N];
        // SAFETY: the array has room for N objects.
        let n = unsafe {
            sys::kmem_cache_alloc_bulk(
                self.as_ptr(),
                Gfp::KERNEL.bits(),
                N,
                objects.as_mut_ptr().cast(),
            )
        };
        if n as usize != N {
            return Err(AllocError::new(Layout::new::<[T; N]>()));
        }
        let mut rest = Rest { cache: self, objects: &mut objects, used: 0 };
        Ok(array::from_fn(|i| {
            let value = value(i);
            // SAFETY: the call above has set all N entries, and each is used once.
            unsafe { CacheBox::put(rest.take(), value, self) }
        }))
    }

    /// Frees `N` values by one call.
    ///
    /// # Panics
    ///
    /// If a box is of another cache.
    ///
    /// ```
    /// let cache = usermm::Cache::new("number");
    /// let numbers = cache.try_alloc_array::<16>(|i| i)?;
    /// cache.free_array(numbers);
    /// # Ok::<(), usermm::AllocError>(())
    /// ```
    #[track_caller]
    pub fn free_array<const N: usize>(&self, boxes: [CacheBox<T, &Self>; N]) {
        assert!(
            boxes.iter().all(|own| CacheBox::is_of(own, self)),
            "free_array() of a box of another cache"
        );
        let mut objects = [const { MaybeUninit::<*mut c_void>::uninit() }; N];
        let mut freed = Freed { cache: self, objects: &mut objects, nr: 0 };
        for own in boxes {
            let object = CacheBox::into_raw(own);
            freed.add(object.as_ptr().cast());
            // SAFETY: the value was the box's, and is dropped once.
            unsafe { object.drop_in_place() };
        }
    }

    /// A stock of at least `size` places, for code that must not fail later.
    ///
    /// ```
    /// let cache = usermm::Cache::new("number");
    /// let mut stock = cache.prefill(10)?;
    /// let number = stock.alloc(1).expect("ten places were put aside");
    /// assert_eq!(*number, 1);
    /// # Ok::<(), usermm::AllocError>(())
    /// ```
    pub fn prefill(&self, size: u32) -> Result<Sheaf<'_, T>, AllocError> {
        Sheaf::new(self, size)
    }

    /// Gives memory that no value uses back to the page allocator. False if values are left.
    ///
    /// ```
    /// let cache = usermm::Cache::new("number");
    /// let number = cache.alloc(7);
    /// assert!(!cache.shrink());
    /// drop(number);
    /// assert!(cache.shrink());
    /// ```
    pub fn shrink(&self) -> bool {
        // SAFETY: the cache is alive; other threads may use it meanwhile.
        unsafe { sys::kmem_cache_shrink(self.as_ptr()) == 0 }
    }

    /// Destroys the cache, unless values of it are in use, which can only be leaked ones: then the
    /// cache comes back.
    ///
    /// Where the kernel refuses membarrier(2), values that other CPUs keep for reuse count as used.
    ///
    /// ```
    /// use usermm::{Cache, CacheBox};
    ///
    /// let cache = Cache::new("number");
    /// drop(cache.alloc(7));
    /// cache.destroy().unwrap();
    ///
    /// let cache = Cache::new("number");
    /// let raw = CacheBox::into_raw(cache.alloc(7));
    /// let cache = cache.destroy().unwrap_err().into_cache();
    /// // SAFETY: the pointer came from into_raw() of this cache's box.
    /// drop(unsafe { CacheBox::from_raw(raw, &cache) });
    /// ```
    pub fn destroy(self) -> Result<(), ObjectsAlive<Self>> {
        if self.shrink() { Ok(()) } else { Err(ObjectsAlive::new(self)) }
    }

    /// Destroys the cache with all values in use, which can only be leaked ones. They are not
    /// dropped.
    ///
    /// An error gives the cache back: the library shares it with others.
    ///
    /// ```
    /// use usermm::{Cache, CacheBox};
    ///
    /// let cache = Cache::new("nodes");
    /// for i in 0..100 {
    ///     CacheBox::into_raw(cache.alloc(i));
    /// }
    /// # if cfg!(not(any(miri, usermm_mock))) {
    /// // SAFETY: nobody has kept a pointer.
    /// unsafe { cache.destroy_with_values() }.unwrap();
    /// # } else { std::mem::forget(cache) }
    /// ```
    ///
    /// # Safety
    ///
    /// No pointer to a value is used afterwards.
    pub unsafe fn destroy_with_values(self) -> Result<(), ObjectsAlive<Self>> {
        let this = ManuallyDrop::new(self);
        // SAFETY: no thread uses the cache, and the caller promises that for its objects.
        match unsafe { sys::usermm_kmem_cache_destroy_all(this.as_ptr()) } {
            0 => Ok(()),
            _ => Err(ObjectsAlive::new(ManuallyDrop::into_inner(this))),
        }
    }

    /// Bytes of a place: the size of a value, and at least 8.
    ///
    /// ```
    /// assert_eq!(usermm::Cache::<u8>::new("byte").object_bytes(), 8);
    /// ```
    pub fn object_bytes(&self) -> usize {
        // SAFETY: the cache is alive.
        unsafe { sys::kmem_cache_size(self.as_ptr()) as usize }
    }

    /// The C cache, for calls that this crate does not have.
    ///
    /// ```
    /// let cache = usermm::Cache::<u64>::new("number");
    /// // SAFETY: the cache is alive.
    /// assert_eq!(unsafe { usermm::sys::kmem_cache_shrink(cache.as_ptr()) }, 0);
    /// ```
    #[inline]
    pub const fn as_ptr(&self) -> *mut sys::kmem_cache {
        self.raw.as_ptr()
    }

    /// A place for a value, or null.
    #[inline]
    pub(crate) fn place(&self, gfp: Gfp) -> *mut T {
        // SAFETY: the cache is alive.
        unsafe { sys::kmem_cache_alloc(self.as_ptr(), gfp.bits()).cast() }
    }

    /// The value moved out of its place, which goes back to the cache. A constructed cache would
    /// hand the value out a second time, so the place gets a new one.
    pub(crate) fn moved_out(&self, place: NonNull<T>) {
        if let Some(construct) = self.ctor {
            // SAFETY: the place is of this cache, and nobody else has it.
            unsafe { construct(place.as_ptr().cast()) };
        }
    }
}

impl<T> Drop for Cache<T> {
    fn drop(&mut self) {
        // SAFETY: boxes borrow or share the cache, so none is left, and no thread uses the cache.
        // The library reports leaked objects, and keeps their memory.
        unsafe { sys::kmem_cache_destroy(self.as_ptr()) };
    }
}

impl<T> fmt::Debug for Cache<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache").field("object_bytes", &self.object_bytes()).finish_non_exhaustive()
    }
}

/// The objects of a bulk call that are in no box yet: freed if a closure panics.
struct Rest<'a, T> {
    cache: &'a Cache<T>,
    objects: &'a mut [MaybeUninit<*mut c_void>],
    used: usize,
}

impl<T> Rest<'_, T> {
    /// # Safety
    ///
    /// All entries are set.
    unsafe fn take(&mut self) -> NonNull<T> {
        // SAFETY: the caller promises that the entry is set; the library gave no null.
        let object = unsafe { NonNull::new_unchecked(self.objects[self.used].assume_init()) };
        self.used += 1;
        object.cast()
    }
}

impl<T> Drop for Rest<'_, T> {
    fn drop(&mut self) {
        let rest = &mut self.objects[self.used..];
        if !rest.is_empty() {
            // SAFETY: these objects are of the cache, and nobody has them.
            unsafe {
                let first = rest.as_mut_ptr().cast();
                sys::kmem_cache_free_bulk(self.cache.as_ptr(), rest.len(), first);
            }
        }
    }
}

/// Objects whose values are dropped: freed by one call, also if a value's drop panics.
struct Freed<'a, T> {
    cache: &'a Cache<T>,
    objects: &'a mut [MaybeUninit<*mut c_void>],
    nr: usize,
}

impl<T> Freed<'_, T> {
    fn add(&mut self, object: *mut c_void) {
        self.objects[self.nr].write(object);
        self.nr += 1;
    }
}

impl<T> Drop for Freed<'_, T> {
    fn drop(&mut self) {
        if self.nr != 0 {
            // SAFETY: the first nr objects are of the cache, and nobody has them.
            unsafe {
                let first = self.objects.as_mut_ptr().cast();
                sys::kmem_cache_free_bulk(self.cache.as_ptr(), self.nr, first);
            }
        }
    }
}

/// What a cache is to be, before it is made.
///
/// ```
/// use usermm::Cache;
///
/// let cache = Cache::<u64>::builder("counter").hwcache_align().debug().build()?;
/// assert_eq!(*cache.alloc(7), 7);
/// # Ok::<(), usermm::CacheError>(())
/// ```
#[must_use = "build() makes the cache"]
pub struct CacheBuilder<'a, T> {
    name: &'a str,
    align: usize,
    flags: sys::slab_flags_t,
    values: PhantomData<fn(T) -> T>,
}

impl<T> CacheBuilder<'_, T> {
    /// Aligns values to `align` bytes, at least to what their type asks for.
    ///
    /// # Panics
    ///
    /// If `align` is no power of two.
    ///
    /// ```
    /// let cache = usermm::Cache::<u8>::builder("page").align(4096).build()?;
    /// assert!((&raw const *cache.alloc(1)).addr() % 4096 == 0);
    /// # Ok::<(), usermm::CacheError>(())
    /// ```
    #[track_caller]
    pub const fn align(mut self, align: usize) -> Self {
        assert!(align.is_power_of_two(), "an alignment is a power of two");
        if align > self.align {
            self.align = align;
        }
        self
    }

    /// Aligns values to cache lines, small ones to a fraction of a line.
    ///
    /// ```
    /// let cache = usermm::Cache::<[u8; 60]>::builder("line").hwcache_align().build()?;
    /// assert!((&raw const *cache.alloc([0; 60])).addr() % 64 == 0);
    /// # Ok::<(), usermm::CacheError>(())
    /// ```
    pub const fn hwcache_align(mut self) -> Self {
        self.flags |= sys::SLAB_HWCACHE_ALIGN;
        self
    }

    /// Checks every call: guard bytes, patterns in free memory, who allocated and freed. Such a
    /// cache is slow.
    ///
    /// ```
    /// let cache = usermm::Cache::<u64>::builder("checked").debug().build()?;
    /// assert_eq!(*cache.alloc(7), 7);
    /// # Ok::<(), usermm::CacheError>(())
    /// ```
    pub const fn debug(mut self) -> Self {
        self.flags |= sys::SLAB_CONSISTENCY_CHECKS
            | sys::SLAB_RED_ZONE
            | sys::SLAB_POISON
            | sys::SLAB_STORE_USER;
        self
    }

    /// Makes the cache.
    ///
    /// ```
    /// use usermm::{Cache, CacheError};
    ///
    /// let cache = Cache::<u64>::builder("number").build()?;
    /// let error = Cache::<u64>::builder(&"x".repeat(128)).build().unwrap_err();
    /// assert_eq!(error, CacheError::Name);
    /// # Ok::<(), CacheError>(())
    /// ```
    pub fn build(self) -> Result<Cache<T>, CacheError> {
        self.make(None)
    }

    /// Makes a cache whose values are built once, by a closure without captures, and then kept
    /// between their uses.
    ///
    /// ```
    /// let cache = usermm::Cache::builder("table").align(64).build_constructed(|| [0_u32; 64])?;
    /// assert_eq!(cache.get()[63], 0);
    /// # Ok::<(), usermm::CacheError>(())
    /// ```
    pub fn build_constructed<F>(self, build: F) -> Result<ConstructedCache<T>, CacheError>
    where
        T: Send,
        F: Fn() -> T + Copy + Send + Sync + 'static,
    {
        const {
            assert!(size_of::<F>() == 0, "the closure of a constructed cache captures nothing");
            assert!(
                !core::mem::needs_drop::<T>(),
                "values of a constructed cache are never dropped, so their type must not need it"
            );
        }
        let _ = build;
        Ok(ConstructedCache::of(self.make(Some(construct::<T, F>))?))
    }

    #[track_caller]
    pub(crate) fn build_or_panic(self) -> Cache<T> {
        unwrap_or_panic(self.build())
    }

    fn make(self, ctor: Option<Constructor>) -> Result<Cache<T>, CacheError> {
        let mut buffer = [0; NAME_BYTES];
        let name = terminated(self.name, &mut buffer).ok_or(CacheError::Name)?;
        let bytes = size_of::<T>().max(sys::KMALLOC_MIN_SIZE);
        let too_large = CacheError::TooLarge(
            Layout::new::<T>().align_to(self.align).unwrap_or(Layout::new::<T>()),
        );
        if bytes > sys::KMALLOC_MAX_SIZE || self.align > sys::KMALLOC_MAX_SIZE {
            return Err(too_large);
        }
        // SAFETY: the name ends with a zero byte, and is copied. Both numbers fit, as was checked.
        let raw = unsafe {
            sys::kmem_cache_create(
                name.as_ptr(),
                bytes as c_uint,
                self.align as c_uint,
                self.flags,
                ctor,
            )
        };
        // With what the library needs for itself an object may be too large after all.
        let is_large = bytes + self.align > sys::KMALLOC_MAX_SIZE / 2;
        let why = if is_large { too_large } else { CacheError::NoMemory };
        Ok(Cache { raw: NonNull::new(raw).ok_or(why)?, ctor, values: PhantomData })
    }
}

impl<T> fmt::Debug for CacheBuilder<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CacheBuilder")
            .field("name", &self.name)
            .field("align", &self.align)
            .field("flags", &self.flags)
            .finish()
    }
}

#[track_caller]
pub(crate) fn unwrap_or_panic<C>(made: Result<C, CacheError>) -> C {
    match made {
        Ok(cache) => cache,
        Err(CacheError::NoMemory) => AllocError::new(Layout::new::<C>()).handle(),
        Err(error) => panic!("{error}"),
    }
}

/// The text with a zero byte behind it, in the buffer; None if it is empty, too long, or has a zero
/// byte in it.
pub(crate) fn terminated<'a>(text: &str, buffer: &'a mut [u8]) -> Option<&'a CStr> {
    if text.is_empty() || text.len() >= buffer.len() {
        return None;
    }
    buffer[..text.len()].copy_from_slice(text.as_bytes());
    buffer[text.len()] = 0;
    CStr::from_bytes_with_nul(&buffer[..=text.len()]).ok()
}
