// SPDX-License-Identifier: MIT
//! Closures that give memory back when it runs short.

use alloc::boxed::Box;
use core::ffi::{c_int, c_long, c_ulong};
use core::fmt;
use core::ptr::{NonNull, null_mut};

use crate::cache::terminated;
use crate::error::CacheError;
use crate::gfp::Gfp;
use crate::sys;

/// What a shrinker's scan is asked.
///
/// ```
/// use usermm::{Scan, Shrinker};
///
/// let shrinker = Shrinker::register("idle", || 0, |request| {
///     println!("free up to {} objects of node {}", request.objects(), request.node());
///     Scan::Stop
/// })?;
/// # Ok::<(), usermm::CacheError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ScanRequest {
    objects: usize,
    gfp: Gfp,
    node: i32,
}

impl ScanRequest {
    /// How many objects to look at.
    ///
    /// ```
    /// # use usermm::{Scan, Shrinker};
    /// let scan = |request: &usermm::ScanRequest| Scan::Freed(request.objects());
    /// let shrinker = Shrinker::register("idle", || 0, scan)?;
    /// # Ok::<(), usermm::CacheError>(())
    /// ```
    pub const fn objects(&self) -> usize {
        self.objects
    }

    /// The flags of the request that found no memory. Without those of file systems and I/O, a
    /// shrinker must not wait for a lock whose holder may wait for memory.
    ///
    /// ```
    /// # use usermm::{Scan, Shrinker};
    /// let shrinker = Shrinker::register("idle", || 0, |request| {
    ///     if request.gfp().contains(usermm::Gfp::NOFS) { Scan::Freed(1) } else { Scan::Stop }
    /// })?;
    /// # Ok::<(), usermm::CacheError>(())
    /// ```
    pub const fn gfp(&self) -> Gfp {
        self.gfp
    }

    /// The memory node that is short of memory.
    ///
    /// ```
    /// # use usermm::{Scan, Shrinker};
    /// let shrinker = Shrinker::register("idle", || 0, |request| {
    ///     assert!(request.node() >= 0);
    ///     Scan::Stop
    /// })?;
    /// # Ok::<(), usermm::CacheError>(())
    /// ```
    pub const fn node(&self) -> i32 {
        self.node
    }
}

/// What a shrinker's scan did.
///
/// ```
/// use usermm::{Scan, Shrinker};
///
/// let shrinker = Shrinker::register("idle", || 0, |_| Scan::Stop)?;
/// # Ok::<(), usermm::CacheError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scan {
    /// So many objects were freed.
    Freed(usize),
    /// Nothing can be freed now, for example since a lock is held.
    Stop,
}

/// A registered shrinker: two closures that the library calls when memory runs short, until this
/// value is dropped.
///
/// The first says how many objects could be freed, the second frees some. A request that found no
/// memory and may wait calls them in its own thread, and so does the library's background thread;
/// several threads may be in them at once. They may allocate and free. They must not panic, and
/// must not drop their own `Shrinker`, which would wait for itself: either ends the process.
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use usermm::{Scan, Shrinker};
///
/// let kept: Arc<Mutex<Vec<Box<[u8]>>>> = Arc::default();
/// let (counted, scanned) = (Arc::clone(&kept), Arc::clone(&kept));
/// let shrinker = Shrinker::register(
///     "kept blocks",
///     move || counted.try_lock().map_or(0, |kept| kept.len()),
///     move |request| match scanned.try_lock() {
///         Ok(mut kept) => {
///             let left = kept.len().saturating_sub(request.objects());
///             Scan::Freed(kept.drain(left..).count())
///         }
///         Err(_) => Scan::Stop,
///     },
/// )?;
/// kept.lock().unwrap().push(Box::new([0; 100]));
/// usermm::shrink_all(usermm::Gfp::KERNEL, 0);
/// assert!(kept.lock().unwrap().is_empty());
/// # Ok::<(), usermm::CacheError>(())
/// ```
#[must_use = "dropping it unregisters the shrinker"]
pub struct Shrinker {
    raw: NonNull<sys::shrinker>,
    /// The closures, which the library's call-backs reach by private_data.
    closures: NonNull<dyn Closures>,
}

trait Closures: Send + Sync {}

struct Pair<C, S> {
    count: C,
    scan: S,
}

impl<C: Send + Sync, S: Send + Sync> Closures for Pair<C, S> {}

// SAFETY: the closures are Send and Sync; any thread may unregister a shrinker.
unsafe impl Send for Shrinker {}
// SAFETY: a shared shrinker offers nothing.
unsafe impl Sync for Shrinker {}

impl Shrinker {
    /// Registers a shrinker. The name is for people.
    ///
    /// ```
    /// use usermm::{Scan, Shrinker};
    ///
    /// let shrinker = Shrinker::register("idle", || 0, |_| Scan::Freed(0))?;
    /// drop(shrinker); // unregisters it
    /// # Ok::<(), usermm::CacheError>(())
    /// ```
    pub fn register<C, S>(name: &str, count: C, scan: S) -> Result<Self, CacheError>
    where
        C: Fn() -> usize + Send + Sync + 'static,
        S: Fn(&ScanRequest) -> Scan + Send + Sync + 'static,
    {
        Self::builder(name).register(count, scan)
    }

    /// Says more about a shrinker before it is registered.
    ///
    /// ```
    /// use usermm::{Scan, Shrinker};
    ///
    /// let shrinker =
    ///     Shrinker::builder("pages").batch(16).seeks(4).register(|| 0, |_| Scan::Stop)?;
    /// # Ok::<(), usermm::CacheError>(())
    /// ```
    pub const fn builder(name: &str) -> ShrinkerBuilder<'_> {
        ShrinkerBuilder { name, batch: 0, seeks: sys::DEFAULT_SEEKS as u32, numa_aware: false }
    }
}

impl Drop for Shrinker {
    fn drop(&mut self) {
        // SAFETY: the call waits until no thread is in the closures, and ends the process if this
        // thread is. So nobody uses them afterwards. They were a box.
        unsafe {
            sys::shrinker_free(self.raw.as_ptr());
            drop(Box::from_raw(self.closures.as_ptr()));
        }
    }
}

impl fmt::Debug for Shrinker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shrinker").finish_non_exhaustive()
    }
}

/// What a shrinker is to be, before it is registered.
///
/// ```
/// use usermm::{Scan, Shrinker};
///
/// let shrinker = Shrinker::builder("pages").numa_aware().register(|| 0, |_| Scan::Stop)?;
/// # Ok::<(), usermm::CacheError>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "register() registers the shrinker"]
pub struct ShrinkerBuilder<'a> {
    name: &'a str,
    batch: usize,
    seeks: u32,
    numa_aware: bool,
}

impl ShrinkerBuilder<'_> {
    /// How many objects the scan is asked for at a time; 0 means 128.
    ///
    /// ```
    /// # use usermm::{Scan, Shrinker};
    /// let shrinker = Shrinker::builder("few").batch(4).register(|| 0, |_| Scan::Stop)?;
    /// # Ok::<(), usermm::CacheError>(())
    /// ```
    pub const fn batch(mut self, objects: usize) -> Self {
        self.batch = objects;
        self
    }

    /// What it costs to make an object anew: 2 is usual, 0 is nothing. Dear objects go later.
    ///
    /// ```
    /// # use usermm::{Scan, Shrinker};
    /// let shrinker = Shrinker::builder("dear").seeks(8).register(|| 0, |_| Scan::Stop)?;
    /// # Ok::<(), usermm::CacheError>(())
    /// ```
    pub const fn seeks(mut self, seeks: u32) -> Self {
        self.seeks = seeks;
        self
    }

    /// The closures are asked separately for each memory node.
    ///
    /// ```
    /// # use usermm::{Scan, Shrinker};
    /// let shrinker = Shrinker::builder("nodes").numa_aware().register(|| 0, |_| Scan::Stop)?;
    /// # Ok::<(), usermm::CacheError>(())
    /// ```
    pub const fn numa_aware(mut self) -> Self {
        self.numa_aware = true;
        self
    }

    /// Registers the shrinker: `count` says how many objects could be freed, `scan` frees some.
    ///
    /// ```
    /// use usermm::{CacheError, Scan, Shrinker};
    ///
    /// let shrinker = Shrinker::builder("idle").register(|| 0, |_| Scan::Stop)?;
    /// let error = Shrinker::builder("").register(|| 0, |_| Scan::Stop).unwrap_err();
    /// assert_eq!(error, CacheError::Name);
    /// # Ok::<(), CacheError>(())
    /// ```
    pub fn register<C, S>(self, count: C, scan: S) -> Result<Shrinker, CacheError>
    where
        C: Fn() -> usize + Send + Sync + 'static,
        S: Fn(&ScanRequest) -> Scan + Send + Sync + 'static,
    {
        let mut buffer = [0; 128];
        let name = terminated(self.name, &mut buffer).ok_or(CacheError::Name)?;
        let flags = if self.numa_aware { sys::SHRINKER_NUMA_AWARE } else { 0 };
        // SAFETY: the name ends with a zero byte.
        let raw = unsafe { sys::shrinker_alloc_named(flags, name.as_ptr()) };
        let raw = NonNull::new(raw).ok_or(CacheError::NoMemory)?;
        let pair = NonNull::from(Box::leak(Box::new(Pair { count, scan })));
        // SAFETY: the shrinker is not registered yet, so only we have it. Its call-backs find the
        // closures, which live until it is unregistered.
        unsafe {
            let shrinker = raw.as_ptr();
            (*shrinker).count_objects = Some(count_objects::<C, S>);
            (*shrinker).scan_objects = Some(scan_objects::<C, S>);
            (*shrinker).batch = c_long::try_from(self.batch).unwrap_or(c_long::MAX);
            (*shrinker).seeks = c_int::try_from(self.seeks).unwrap_or(c_int::MAX);
            (*shrinker).private_data = pair.as_ptr().cast();
            sys::shrinker_register(shrinker);
        }
        Ok(Shrinker { raw, closures: pair })
    }
}

/// More than any number of objects. The library multiplies numbers by up to 4, and the two highest
/// mean something else.
const MANY: c_ulong = c_ulong::MAX / 16;

/// # Safety
///
/// The shrinker is one of `ShrinkerBuilder::register::<C, S>()`.
unsafe extern "C" fn count_objects<C: Fn() -> usize, S>(
    shrinker: *mut sys::shrinker,
    _control: *mut sys::shrink_control,
) -> c_ulong {
    // SAFETY: the closures live as long as the shrinker is registered, and are only shared.
    let pair = unsafe { &*(*shrinker).private_data.cast::<Pair<C, S>>() };
    match (pair.count)() as c_ulong {
        0 => sys::SHRINK_EMPTY,
        nr => nr.min(MANY),
    }
}

/// # Safety
///
/// The shrinker is one of `ShrinkerBuilder::register::<C, S>()`.
unsafe extern "C" fn scan_objects<C, S: Fn(&ScanRequest) -> Scan>(
    shrinker: *mut sys::shrinker,
    control: *mut sys::shrink_control,
) -> c_ulong {
    // SAFETY: as in count_objects(); the library's request lives during the call.
    let (pair, control) = unsafe { (&*(*shrinker).private_data.cast::<Pair<C, S>>(), &*control) };
    let request = ScanRequest {
        objects: control.nr_to_scan as usize,
        gfp: Gfp::from_bits(control.gfp_mask),
        node: control.nid,
    };
    match (pair.scan)(&request) {
        Scan::Freed(nr) => (nr as c_ulong).min(MANY),
        Scan::Stop => sys::SHRINK_STOP,
    }
}

/// Asks every shrinker of the process once, for node 0, at a priority from 12 (lightest) to 0 (all
/// objects). Answers how many objects were freed.
///
/// ```
/// use usermm::{Gfp, Scan, Shrinker};
///
/// let shrinker = Shrinker::register("ten", || 10, |request| Scan::Freed(request.objects()))?;
/// assert!(usermm::shrink_all(Gfp::KERNEL, 0) >= 10);
/// # Ok::<(), usermm::CacheError>(())
/// ```
pub fn shrink_all(gfp: Gfp, priority: u8) -> usize {
    let priority = c_int::from(priority.min(12));
    // SAFETY: the call has no conditions.
    unsafe { sys::shrink_slab(gfp.bits(), 0, null_mut(), priority) as usize }
}
