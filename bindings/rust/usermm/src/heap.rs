// SPDX-License-Identifier: MIT
//! Heaps: blocks that are freed together.

use core::alloc::{GlobalAlloc, Layout};
use core::cmp::min;
use core::fmt;
use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ops::{Deref, DerefMut};
use core::ptr::{self, NonNull};
use core::{slice, str};

use crate::cache::terminated;
use crate::error::{AllocError, CacheError, NoMemory};
use crate::global::MIN_ALIGN;
use crate::sys;

/// A set of blocks in caches of their own: a plugin's, a request's, a document's.
///
/// [`alloc`](Self::alloc) gives a reference that lives as long as the heap is borrowed, as from an
/// arena: the value is never dropped, and its memory goes with the heap. [`boxed`](Self::boxed)
/// gives an owner that drops its value and frees it. Dropping the heap frees all of its blocks at
/// once.
///
/// Any thread may allocate and free. With the feature `allocator-api2`, `&Heap` is an allocator for
/// collections, which borrow the heap.
///
/// ```
/// use usermm::Heap;
///
/// let heap = Heap::new("request");
/// let url = heap.alloc_str("/index");
/// let counts = heap.alloc_slice(&[1, 2, 3]);
/// counts[0] += 1;
/// let boxed = heap.boxed(vec![url.len()]);
/// assert_eq!((&*url, counts[0], boxed[0]), ("/index", 2, 6));
/// drop(boxed); // this value is dropped; the others go with the heap
/// ```
pub struct Heap {
    raw: NonNull<sys::usermm_heap>,
}

// SAFETY: any thread may allocate and free in any heap.
unsafe impl Send for Heap {}
// SAFETY: as above.
unsafe impl Sync for Heap {}

impl Heap {
    /// A heap without blocks. People see the name in statistics. Without memory the process ends as
    /// it does for `Box::new()`.
    ///
    /// # Panics
    ///
    /// If the name is empty, has a zero byte, or has more than 127 bytes.
    ///
    /// ```
    /// let heap = usermm::Heap::new("document");
    /// assert_eq!(heap.stats().blocks, 0);
    /// ```
    #[track_caller]
    pub fn new(name: &str) -> Self {
        crate::cache::unwrap_or_panic(Self::try_new(name))
    }

    /// A heap without blocks, or why there is none.
    ///
    /// ```
    /// use usermm::{CacheError, Heap};
    ///
    /// let heap = Heap::try_new("document")?;
    /// assert_eq!(Heap::try_new("").unwrap_err(), CacheError::Name);
    /// # Ok::<(), CacheError>(())
    /// ```
    pub fn try_new(name: &str) -> Result<Self, CacheError> {
        let mut buffer = [0; 128];
        let name = terminated(name, &mut buffer).ok_or(CacheError::Name)?;
        // SAFETY: the name ends with a zero byte, and is copied.
        let raw = unsafe { sys::usermm_heap_create(name.as_ptr()) };
        Ok(Self { raw: NonNull::new(raw).ok_or(CacheError::NoMemory)? })
    }

    /// Moves a value into the heap. It stays until the heap goes, and is not dropped. Without
    /// memory the process ends as it does for `Box::new()`.
    ///
    /// ```
    /// let heap = usermm::Heap::new("document");
    /// let point = heap.alloc([1.0, 2.0]);
    /// point[0] += 1.0;
    /// assert_eq!(*point, [2.0, 2.0]);
    /// ```
    #[allow(clippy::mut_from_ref, reason = "each call gives another place")]
    pub fn alloc<T>(&self, value: T) -> &mut T {
        HeapBox::leak(self.boxed(value))
    }

    /// Copies a text into the heap.
    ///
    /// ```
    /// let heap = usermm::Heap::new("document");
    /// assert_eq!(heap.alloc_str("text"), "text");
    /// ```
    #[allow(clippy::mut_from_ref, reason = "each call gives another place")]
    pub fn alloc_str(&self, text: &str) -> &mut str {
        // SAFETY: they are the bytes of a text.
        unsafe { str::from_utf8_unchecked_mut(self.alloc_slice(text.as_bytes())) }
    }

    /// Copies values into the heap.
    ///
    /// ```
    /// let heap = usermm::Heap::new("document");
    /// assert_eq!(heap.alloc_slice(&[1, 2, 3]), [1, 2, 3]);
    /// ```
    #[allow(clippy::mut_from_ref, reason = "each call gives another place")]
    pub fn alloc_slice<T: Copy>(&self, values: &[T]) -> &mut [T] {
        let layout = Layout::for_value(values);
        let place = self.place(layout).unwrap_or_else(|error| error.handle()).cast::<T>();
        // SAFETY: the place has room for so many values, and nobody else has it.
        unsafe {
            ptr::copy_nonoverlapping(values.as_ptr(), place.as_ptr(), values.len());
            slice::from_raw_parts_mut(place.as_ptr(), values.len())
        }
    }

    /// Moves a value into the heap, with an owner that drops it. Without memory the process ends as
    /// it does for `Box::new()`.
    ///
    /// ```
    /// let heap = usermm::Heap::new("document");
    /// let text = heap.boxed(String::from("text"));
    /// assert_eq!(*text, "text");
    /// ```
    pub fn boxed<T>(&self, value: T) -> HeapBox<'_, T> {
        match self.try_boxed(value) {
            Ok(own) => own,
            Err(error) => error.error().handle(),
        }
    }

    /// Moves a value into the heap, with an owner that drops it. Without memory the value comes
    /// back.
    ///
    /// ```
    /// let heap = usermm::Heap::new("document");
    /// let number = heap.try_boxed(7)?;
    /// assert_eq!(*number, 7);
    /// # Ok::<(), usermm::NoMemory<i32>>(())
    /// ```
    pub fn try_boxed<T>(&self, value: T) -> Result<HeapBox<'_, T>, NoMemory<T>> {
        match self.place(Layout::new::<T>()) {
            Ok(place) => {
                let place = place.cast();
                // SAFETY: the place has the size and alignment of a value, and nobody else has it.
                unsafe { place.write(value) };
                Ok(HeapBox { value: place, heap: self, owned: PhantomData })
            }
            Err(error) => Err(NoMemory::new(error, value)),
        }
    }

    /// What the heap has in use. Exact while no other thread uses it.
    ///
    /// ```
    /// let heap = usermm::Heap::new("document");
    /// heap.alloc([0_u8; 100]);
    /// let stats = heap.stats();
    /// assert_eq!(stats.blocks, 1);
    /// assert!(stats.bytes >= 100);
    /// ```
    pub fn stats(&self) -> HeapStats {
        let mut raw = sys::usermm_heap_stats::default();
        // SAFETY: the heap is alive.
        unsafe { sys::usermm_heap_stats_read(self.as_ptr(), &raw mut raw) };
        HeapStats { blocks: raw.blocks, bytes: raw.bytes, held_bytes: raw.held_bytes }
    }

    /// The C heap, for calls that this crate does not have.
    ///
    /// ```
    /// let heap = usermm::Heap::new("document");
    /// // SAFETY: the heap is alive, and the block is of it.
    /// unsafe {
    ///     let block = usermm::sys::usermm_heap_alloc(heap.as_ptr(), 100);
    ///     usermm::sys::usermm_heap_free(heap.as_ptr(), block);
    /// }
    /// ```
    pub const fn as_ptr(&self) -> *mut sys::usermm_heap {
        self.raw.as_ptr()
    }

    /// A place for a layout; one for no bytes is an aligned address.
    fn place(&self, layout: Layout) -> Result<NonNull<u8>, AllocError> {
        if layout.size() == 0 {
            return Ok(NonNull::new(ptr::without_provenance_mut(layout.align()))
                .unwrap_or(NonNull::dangling()));
        }
        // SAFETY: the layout is not empty.
        NonNull::new(unsafe { GlobalAlloc::alloc(self, layout) }).ok_or(AllocError::new(layout))
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        // SAFETY: whatever uses a block borrows the heap, so nobody does.
        unsafe { sys::usermm_heap_destroy(self.as_ptr()) };
    }
}

// SAFETY: blocks are unique, large enough and aligned; a failure is null; nothing unwinds.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: both functions take any size, and a layout's alignment is a power of two.
        let block = unsafe {
            if layout.align() <= MIN_ALIGN {
                sys::usermm_heap_alloc(self.as_ptr(), layout.size())
            } else {
                sys::usermm_heap_aligned_alloc(self.as_ptr(), layout.align(), layout.size())
            }
        };
        block.cast()
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.align() <= MIN_ALIGN {
            // SAFETY: the function takes any size.
            return unsafe { sys::usermm_heap_zalloc(self.as_ptr(), layout.size()).cast() };
        }
        // SAFETY: the caller promises what alloc() asks for. The block has the layout's size.
        unsafe {
            let block = GlobalAlloc::alloc(self, layout);
            if !block.is_null() {
                ptr::write_bytes(block, 0, layout.size());
            }
            block
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, _layout: Layout) {
        // SAFETY: the caller promises a block of this heap.
        unsafe { sys::usermm_heap_free(self.as_ptr(), block.cast()) };
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        if layout.align() <= MIN_ALIGN {
            // SAFETY: the caller promises a block of this heap, and a size that is not 0.
            return unsafe {
                sys::usermm_heap_realloc(self.as_ptr(), block.cast(), new_size).cast()
            };
        }
        // SAFETY: the caller promises that new_size fits a layout with this alignment, and that the
        // block was allocated with the old layout. Both blocks have the bytes that are copied.
        unsafe {
            let new = Layout::from_size_align_unchecked(new_size, layout.align());
            let to = GlobalAlloc::alloc(self, new);
            if !to.is_null() {
                ptr::copy_nonoverlapping(block, to, min(layout.size(), new_size));
                self.dealloc(block, layout);
            }
            to
        }
    }
}

impl fmt::Debug for Heap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Heap").field("stats", &self.stats()).finish_non_exhaustive()
    }
}

/// What a heap has in use.
///
/// ```
/// let heap = usermm::Heap::new("document");
/// let stats = heap.stats();
/// assert!(stats.held_bytes >= stats.bytes);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HeapStats {
    /// Blocks in use.
    pub blocks: usize,
    /// Their bytes, with those that a request was rounded up by.
    pub bytes: usize,
    /// Pages and mappings that the heap holds.
    pub held_bytes: usize,
}

/// A value in a [`Heap`], owned like a value in a `Box`.
///
/// ```
/// use usermm::{Heap, HeapBox};
///
/// let heap = Heap::new("document");
/// let mut text: HeapBox<String> = heap.boxed("text".to_string());
/// text.push('s');
/// assert_eq!(HeapBox::into_inner(text), "texts");
/// ```
pub struct HeapBox<'h, T> {
    value: NonNull<T>,
    heap: &'h Heap,
    owned: PhantomData<T>,
}

// SAFETY: the box owns its value, as Box does; any thread may free it.
unsafe impl<T: Send> Send for HeapBox<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for HeapBox<'_, T> {}

/// Frees a place when it goes, also when the value's drop panics.
struct Place<'a, T> {
    heap: &'a Heap,
    value: NonNull<T>,
}

impl<T> Drop for Place<'_, T> {
    fn drop(&mut self) {
        if size_of::<T>() != 0 {
            // SAFETY: the place is of this heap, and nobody else has it.
            unsafe { sys::usermm_heap_free(self.heap.as_ptr(), self.value.as_ptr().cast()) };
        }
    }
}

impl<'h, T> HeapBox<'h, T> {
    /// Gives up the box: the value stays as long as the heap is borrowed, and is not dropped.
    ///
    /// ```
    /// use usermm::{Heap, HeapBox};
    ///
    /// let heap = Heap::new("document");
    /// let number: &mut u64 = HeapBox::leak(heap.boxed(7));
    /// assert_eq!(*number, 7);
    /// ```
    pub fn leak(this: Self) -> &'h mut T
    where
        T: 'h,
    {
        let this = ManuallyDrop::new(this);
        // SAFETY: nobody else has the value, and the heap lives as long as it is borrowed.
        unsafe { &mut *this.value.as_ptr() }
    }

    /// Moves the value out, and frees its place.
    ///
    /// ```
    /// use usermm::{Heap, HeapBox};
    ///
    /// let heap = Heap::new("document");
    /// assert_eq!(HeapBox::into_inner(heap.boxed(7)), 7);
    /// ```
    pub fn into_inner(this: Self) -> T {
        let this = ManuallyDrop::new(this);
        let _place = Place { heap: this.heap, value: this.value };
        // SAFETY: the value moves out once; the place is freed without it.
        unsafe { this.value.read() }
    }
}

impl<T> Drop for HeapBox<'_, T> {
    fn drop(&mut self) {
        let _place = Place { heap: self.heap, value: self.value };
        // SAFETY: the box owns the value, and is not used any more.
        unsafe { self.value.drop_in_place() };
    }
}

impl<T> Deref for HeapBox<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the box owns the value, which is initialised.
        unsafe { self.value.as_ref() }
    }
}

impl<T> DerefMut for HeapBox<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the box owns the value, which is initialised, and is borrowed alone.
        unsafe { self.value.as_mut() }
    }
}

impl<T: fmt::Debug> fmt::Debug for HeapBox<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
