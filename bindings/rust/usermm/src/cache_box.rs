// SPDX-License-Identifier: MIT
//! A value in a cache.

use alloc::rc::Rc;
use alloc::sync::Arc;
use core::alloc::Layout;
use core::borrow::{Borrow, BorrowMut};
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ops::{Deref, DerefMut};
use core::pin::Pin;
use core::ptr::{self, NonNull};

use crate::cache::Cache;
use crate::constructed::ConstructedCache;
use crate::error::{AllocError, NoMemory};
use crate::gfp::Gfp;
use crate::sys;

/// What keeps a cache alive for its boxes: a reference, or a share of it.
///
/// ```
/// use std::sync::Arc;
/// use usermm::{Cache, CacheBox, CacheHandle};
///
/// fn boxed<H: CacheHandle<u64>>(handle: H) -> CacheBox<u64, H> {
///     CacheBox::new_in(1, handle)
/// }
///
/// let cache = Arc::new(Cache::new("number"));
/// assert_eq!(*boxed(&*cache), *boxed(Arc::clone(&cache)));
/// ```
///
/// # Safety
///
/// `cache()` answers the same cache each time, and the cache lives as long as the handle.
pub unsafe trait CacheHandle<T> {
    /// The cache.
    ///
    /// ```
    /// use usermm::{Cache, CacheHandle};
    ///
    /// let cache = Cache::<u64>::new("number");
    /// assert_eq!((&cache).cache().as_ptr(), cache.as_ptr());
    /// ```
    fn cache(&self) -> &Cache<T>;
}

macro_rules! handles {
    ($($handle:ty: $cache:ident;)*) => {
        $(
            // SAFETY: it points to one cache, and keeps the cache alive.
            unsafe impl<T> CacheHandle<T> for $handle {
                #[inline]
                fn cache(&self) -> &Cache<T> {
                    let $cache = self;
                    $cache
                }
            }
        )*
    };
}

handles! {
    &Cache<T>: cache;
    Arc<Cache<T>>: cache;
    Rc<Cache<T>>: cache;
    &ConstructedCache<T>: cache;
    Arc<ConstructedCache<T>>: cache;
    Rc<ConstructedCache<T>>: cache;
}

/// A value in a cache, owned like a value in a `Box`.
///
/// `H` keeps the cache alive. `CacheBox<T>` without it is a value of a static cache; see [`Cache`]
/// for the other forms. Functions that belong to the box and not to the value have no `self`, as
/// those of `Box`.
///
/// ```
/// use usermm::{Cache, CacheBox};
///
/// let cache = Cache::new("text");
/// let text: CacheBox<String, &Cache<String>> = cache.alloc("text".to_string());
/// assert_eq!(text.len(), 4);
/// assert_eq!(CacheBox::into_inner(text), "text");
/// ```
pub struct CacheBox<T, H: CacheHandle<T> = &'static Cache<T>> {
    value: NonNull<T>,
    handle: H,
    owned: PhantomData<T>,
}

// SAFETY: the box owns its value, as Box does; the place goes back to the cache from any thread.
unsafe impl<T: Send, H: CacheHandle<T> + Send> Send for CacheBox<T, H> {}
// SAFETY: as above.
unsafe impl<T: Sync, H: CacheHandle<T> + Sync> Sync for CacheBox<T, H> {}

/// Frees a place when it goes, also when the value's drop panics.
struct Place<'a, T> {
    cache: &'a Cache<T>,
    object: NonNull<T>,
}

impl<T> Drop for Place<'_, T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the place is of this cache, and nobody else has it.
        unsafe { sys::kmem_cache_free(self.cache.as_ptr(), self.object.as_ptr().cast()) };
    }
}

impl<T, H: CacheHandle<T>> CacheBox<T, H> {
    /// Allocates a value in the handle's cache. May wait for memory; without any the process ends
    /// as it does for `Box::new()`.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use usermm::{Cache, CacheBox};
    ///
    /// let cache = Arc::new(Cache::new("number"));
    /// let number = CacheBox::new_in(7, Arc::clone(&cache));
    /// drop(cache);
    /// assert_eq!(*number, 7);
    /// ```
    #[inline]
    pub fn new_in(value: T, handle: H) -> Self {
        // Not by try_new_in(), whose result has room for the value: it would be copied once more.
        match NonNull::new(handle.cache().place(Gfp::KERNEL)) {
            // SAFETY: the place is fresh, and of the handle's cache.
            Some(place) => unsafe { Self::put(place, value, handle) },
            None => AllocError::new(Layout::new::<T>()).handle(),
        }
    }

    /// Allocates a value in the handle's cache. Without memory the value comes back.
    ///
    /// ```
    /// use std::rc::Rc;
    /// use usermm::{Cache, CacheBox, Gfp};
    ///
    /// let cache = Rc::new(Cache::new("number"));
    /// let number = CacheBox::try_new_in(7, Rc::clone(&cache), Gfp::NOWAIT)?;
    /// assert_eq!(*number, 7);
    /// # Ok::<(), usermm::NoMemory<i32>>(())
    /// ```
    #[inline]
    pub fn try_new_in(value: T, handle: H, gfp: Gfp) -> Result<Self, NoMemory<T>> {
        match NonNull::new(handle.cache().place(gfp)) {
            // SAFETY: the place is fresh, and of the handle's cache.
            Some(place) => Ok(unsafe { Self::put(place, value, handle) }),
            None => Err(NoMemory::new(AllocError::new(Layout::new::<T>()), value)),
        }
    }

    /// A box of a fresh place, into which the value moves.
    ///
    /// # Safety
    ///
    /// The place is of the handle's cache, and nobody else has it.
    #[inline]
    pub(crate) unsafe fn put(place: NonNull<T>, value: T, handle: H) -> Self {
        // SAFETY: the place has the size and the alignment of a value.
        unsafe {
            place.write(value);
            Self::from_raw(place, handle)
        }
    }

    /// A box of a pointer that [`into_raw`](Self::into_raw) gave.
    ///
    /// ```
    /// use usermm::{Cache, CacheBox};
    ///
    /// let cache = Cache::new("number");
    /// let raw = CacheBox::into_raw(cache.alloc(7));
    /// // SAFETY: the pointer came from into_raw() of a box of this cache.
    /// let number = unsafe { CacheBox::from_raw(raw, &cache) };
    /// assert_eq!(*number, 7);
    /// ```
    ///
    /// # Safety
    ///
    /// The pointer came from `into_raw()` of a box of the handle's cache, and makes one box only.
    #[inline]
    pub const unsafe fn from_raw(value: NonNull<T>, handle: H) -> Self {
        Self { value, handle, owned: PhantomData }
    }

    /// Takes the value's pointer out of the box; the handle is dropped. The value stays allocated
    /// until [`from_raw`](Self::from_raw) makes a box of it again.
    ///
    /// ```
    /// use usermm::{Cache, CacheBox};
    ///
    /// let cache = Cache::new("number");
    /// let raw = CacheBox::into_raw(cache.alloc(7));
    /// // SAFETY: the pointer came from into_raw() of a box of this cache.
    /// unsafe {
    ///     assert_eq!(raw.read(), 7);
    ///     drop(CacheBox::from_raw(raw, &cache));
    /// }
    /// ```
    #[inline]
    pub fn into_raw(this: Self) -> NonNull<T> {
        let (value, handle) = Self::into_parts(this);
        drop(handle);
        value
    }

    fn into_parts(this: Self) -> (NonNull<T>, H) {
        let mut this = ManuallyDrop::new(this);
        // SAFETY: the box is not used any more, so its handle moves out once.
        let handle = unsafe { ptr::read(&raw mut this.handle) };
        (this.value, handle)
    }

    /// Moves the value out, and frees its place. A [`ConstructedCache`] builds a new value there.
    ///
    /// ```
    /// use usermm::{Cache, CacheBox};
    ///
    /// let cache = Cache::new("text");
    /// let text = cache.alloc(String::from("text"));
    /// assert_eq!(CacheBox::into_inner(text), "text");
    /// ```
    #[inline]
    pub fn into_inner(this: Self) -> T {
        let (object, handle) = Self::into_parts(this);
        let place = Place { cache: handle.cache(), object };
        // SAFETY: the value moves out once; the place is freed without it.
        let value = unsafe { object.read() };
        place.cache.moved_out(object);
        value
    }

    /// Pins the value: it does not move until it is dropped.
    ///
    /// ```
    /// use usermm::{Cache, CacheBox};
    ///
    /// let cache = Cache::new("future");
    /// let pinned = CacheBox::into_pin(cache.alloc(std::future::ready(7)));
    /// # let _ = pinned;
    /// ```
    pub fn into_pin(this: Self) -> Pin<Self> {
        // SAFETY: the value has its place in the cache until it is dropped, wherever the box moves.
        unsafe { Pin::new_unchecked(this) }
    }

    /// Is the value in this cache?
    pub(crate) fn is_of(this: &Self, cache: &Cache<T>) -> bool {
        this.handle.cache().as_ptr() == cache.as_ptr()
    }
}

impl<'c, T> CacheBox<T, &'c Cache<T>> {
    /// Gives up the box: the value stays allocated, and can be used as long as the cache is
    /// borrowed. A cache that is dropped later reports the value, and keeps its memory.
    ///
    /// ```
    /// use std::sync::LazyLock;
    /// use usermm::{Cache, CacheBox};
    ///
    /// static NUMBERS: LazyLock<Cache<u64>> = LazyLock::new(|| Cache::new("number"));
    /// let number: &'static mut u64 = CacheBox::leak(NUMBERS.alloc(7));
    /// *number += 1;
    /// assert_eq!(*number, 8);
    /// ```
    pub fn leak(this: Self) -> &'c mut T
    where
        T: 'c,
    {
        let (value, _) = Self::into_parts(this);
        // SAFETY: nobody else has the value, and its cache lives as long as it is borrowed.
        unsafe { &mut *value.as_ptr() }
    }
}

impl<T, H: CacheHandle<T>> Drop for CacheBox<T, H> {
    #[inline]
    fn drop(&mut self) {
        let _place = Place { cache: self.handle.cache(), object: self.value };
        // SAFETY: the box owns the value, and is not used any more.
        unsafe { self.value.drop_in_place() };
    }
}

impl<T, H: CacheHandle<T>> Deref for CacheBox<T, H> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the box owns the value, which is initialised.
        unsafe { self.value.as_ref() }
    }
}

impl<T, H: CacheHandle<T>> DerefMut for CacheBox<T, H> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the box owns the value, which is initialised, and is borrowed alone.
        unsafe { self.value.as_mut() }
    }
}

/// The value does not move with the box.
impl<T, H: CacheHandle<T>> Unpin for CacheBox<T, H> {}

impl<T, H: CacheHandle<T>> AsRef<T> for CacheBox<T, H> {
    fn as_ref(&self) -> &T {
        self
    }
}

impl<T, H: CacheHandle<T>> AsMut<T> for CacheBox<T, H> {
    fn as_mut(&mut self) -> &mut T {
        self
    }
}

impl<T, H: CacheHandle<T>> Borrow<T> for CacheBox<T, H> {
    fn borrow(&self) -> &T {
        self
    }
}

impl<T, H: CacheHandle<T>> BorrowMut<T> for CacheBox<T, H> {
    fn borrow_mut(&mut self) -> &mut T {
        self
    }
}

impl<T: fmt::Debug, H: CacheHandle<T>> fmt::Debug for CacheBox<T, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: fmt::Display, H: CacheHandle<T>> fmt::Display for CacheBox<T, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: PartialEq, H: CacheHandle<T>, I: CacheHandle<T>> PartialEq<CacheBox<T, I>>
    for CacheBox<T, H>
{
    fn eq(&self, other: &CacheBox<T, I>) -> bool {
        **self == **other
    }
}

impl<T: Eq, H: CacheHandle<T>> Eq for CacheBox<T, H> {}

impl<T: PartialOrd, H: CacheHandle<T>, I: CacheHandle<T>> PartialOrd<CacheBox<T, I>>
    for CacheBox<T, H>
{
    fn partial_cmp(&self, other: &CacheBox<T, I>) -> Option<Ordering> {
        (**self).partial_cmp(&**other)
    }
}

impl<T: Ord, H: CacheHandle<T>> Ord for CacheBox<T, H> {
    fn cmp(&self, other: &Self) -> Ordering {
        (**self).cmp(&**other)
    }
}

impl<T: Hash, H: CacheHandle<T>> Hash for CacheBox<T, H> {
    fn hash<S: Hasher>(&self, state: &mut S) {
        (**self).hash(state);
    }
}
