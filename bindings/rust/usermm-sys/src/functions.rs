// SPDX-License-Identifier: MIT
//! The functions of the public headers, by the kernel's names. In the symbol table each has the
//! prefix `usermm_`. Inline functions of the headers are inline here, too.
#![allow(non_upper_case_globals, non_camel_case_types, reason = "the headers' names")]

use core::ffi::{c_char, c_int, c_long, c_uint, c_ulong, c_void};
use core::ptr::with_exposed_provenance_mut;

use crate::gfp::*;
use crate::types::*;

/// A constructor or destructor of an object or a page.
pub type object_fn = unsafe extern "C" fn(object: *mut c_void);

// usermm/malloc.h
unsafe extern "C" {
    /// A block of at least `size` bytes, aligned to 16.
    pub fn usermm_malloc(size: usize) -> *mut c_void;
    /// A block of `n * size` zero bytes.
    pub fn usermm_calloc(n: usize, size: usize) -> *mut c_void;
    /// Changes a block's size; an alignment of more than 16 bytes may be lost.
    pub fn usermm_realloc(block: *mut c_void, size: usize) -> *mut c_void;
    /// A block aligned to `align` bytes, a power of two.
    pub fn usermm_aligned_alloc(align: usize, size: usize) -> *mut c_void;
    /// `usermm_aligned_alloc()` with all bytes zero.
    pub fn usermm_aligned_zalloc(align: usize, size: usize) -> *mut c_void;
    /// Changes the size of a block that keeps its alignment.
    pub fn usermm_aligned_realloc(block: *mut c_void, align: usize, size: usize) -> *mut c_void;
    /// Frees a block.
    pub fn usermm_free(block: *mut c_void);
    /// Frees a block of which the caller knows the size.
    pub fn usermm_free_sized(block: *mut c_void, size: usize);
    /// Frees a block of which the caller knows the size and the alignment.
    pub fn usermm_free_aligned_sized(block: *mut c_void, align: usize, size: usize);
    /// How many bytes of the block the caller may use.
    pub fn usermm_usable_size(block: *mut c_void) -> usize;
}

// usermm/heap.h
unsafe extern "C" {
    /// A heap without blocks.
    pub fn usermm_heap_create(name: *const c_char) -> *mut usermm_heap;
    /// Frees all blocks of the heap, and the heap.
    pub fn usermm_heap_destroy(heap: *mut usermm_heap);
    /// A block, aligned to 16 bytes.
    pub fn usermm_heap_alloc(heap: *mut usermm_heap, size: usize) -> *mut c_void;
    /// A block with all bytes zero.
    pub fn usermm_heap_zalloc(heap: *mut usermm_heap, size: usize) -> *mut c_void;
    /// A block aligned to `align` bytes, a power of two.
    pub fn usermm_heap_aligned_alloc(
        heap: *mut usermm_heap,
        align: usize,
        size: usize,
    ) -> *mut c_void;
    /// Changes a block's size; an alignment of more than 16 bytes may be lost.
    pub fn usermm_heap_realloc(
        heap: *mut usermm_heap,
        block: *mut c_void,
        size: usize,
    ) -> *mut c_void;
    /// Frees a block of this heap.
    pub fn usermm_heap_free(heap: *mut usermm_heap, block: *mut c_void);
    /// How many bytes of the block the caller may use.
    pub fn usermm_heap_usable_size(heap: *mut usermm_heap, block: *mut c_void) -> usize;
    /// What the heap has in use.
    pub fn usermm_heap_stats_read(heap: *mut usermm_heap, stats: *mut usermm_heap_stats);
}

// usermm/control.h
unsafe extern "C" {
    /// Reads a control, then writes it. 0, or a negative errno value.
    pub fn usermm_control(name: *const c_char, old_value: *mut u64, new_value: *const u64)
    -> c_int;
    /// Row `i` of the table of controls.
    pub fn usermm_control_info(i: c_uint, info: *mut usermm_control_info) -> bool;
}

// usermm/usermm.h
unsafe extern "C" {
    /// The version of the library in use.
    pub fn usermm_version() -> *const c_char;
    /// What the library found out about the machine.
    pub fn usermm_doctor_read(doctor: *mut usermm_doctor);
    /// Sets options before the first allocation.
    pub fn usermm_set_options(text: *const c_char, error: *mut *const c_char) -> c_int;
    /// Row `i` of the table of options. Not thread-safe.
    pub fn usermm_option_info(i: c_uint, info: *mut usermm_option_info) -> bool;
    /// The `i`-th old name of an option that was used. Not thread-safe.
    pub fn usermm_option_old_name(
        i: c_uint,
        name: *mut *const c_char,
        new_name: *mut *const c_char,
    ) -> bool;
}

// usermm/page.h
unsafe extern "C" {
    /// The window; constant after the first call into the library.
    pub static usermm_memmap: usermm_memmap;
    /// The head of the compound page that holds this page.
    #[link_name = "usermm_compound_head"]
    pub fn compound_head(page: *const page) -> *mut page;
    /// Is it a byte of a page that the library has brought online?
    #[link_name = "usermm_virt_addr_valid"]
    pub fn virt_addr_valid(addr: *const c_void) -> bool;
    /// Is this the head or a tail of a compound page?
    #[link_name = "usermm_PageCompound"]
    pub fn PageCompound(page: *const page) -> bool;
    /// The order of a compound page.
    #[link_name = "usermm_compound_order"]
    pub fn compound_order(head: *const page) -> c_uint;
    /// 2^order pages.
    #[link_name = "usermm_alloc_pages"]
    pub fn alloc_pages(gfp: gfp_t, order: c_uint) -> *mut page;
    /// One page.
    #[link_name = "usermm_alloc_page"]
    pub fn alloc_page(gfp: gfp_t) -> *mut page;
    /// 2^order pages, from a node first.
    #[link_name = "usermm___alloc_pages"]
    pub fn __alloc_pages(
        gfp: gfp_t,
        order: c_uint,
        preferred_nid: c_int,
        nodemask: *const c_ulong,
    ) -> *mut page;
    /// The address of 2^order pages.
    #[link_name = "usermm___get_free_pages"]
    pub fn __get_free_pages(gfp: gfp_t, order: c_uint) -> c_ulong;
    /// The address of one page with all bytes zero.
    #[link_name = "usermm_get_zeroed_page"]
    pub fn get_zeroed_page(gfp: gfp_t) -> c_ulong;
    /// Drops one reference of a block.
    #[link_name = "usermm___free_pages"]
    pub fn __free_pages(page: *mut page, order: c_uint);
    /// Drops one reference of a block, by its address.
    #[link_name = "usermm_free_pages"]
    pub fn free_pages(addr: c_ulong, order: c_uint);
    /// Takes a reference.
    #[link_name = "usermm_get_page"]
    pub fn get_page(page: *mut page);
    /// Drops a reference.
    #[link_name = "usermm_put_page"]
    pub fn put_page(page: *mut page);
    /// How many references there are.
    #[link_name = "usermm_page_ref_count"]
    pub fn page_ref_count(page: *const page) -> c_int;
    /// Takes a reference unless there is none.
    #[link_name = "usermm_get_page_unless_zero"]
    pub fn get_page_unless_zero(page: *mut page) -> bool;
    /// Takes `nr` references unless there are `unless`.
    #[link_name = "usermm_page_ref_add_unless"]
    pub fn page_ref_add_unless(page: *mut page, nr: c_int, unless: c_int) -> bool;
    /// A block without a reference count.
    #[link_name = "usermm_alloc_frozen_pages"]
    pub fn alloc_frozen_pages(gfp: gfp_t, order: c_uint) -> *mut page;
    /// Frees a block without a reference count.
    #[link_name = "usermm_free_frozen_pages"]
    pub fn free_frozen_pages(page: *mut page, order: c_uint);
    /// Fills the NULL entries of the array with pages.
    #[link_name = "usermm_alloc_pages_bulk_array"]
    pub fn alloc_pages_bulk_array(gfp: gfp_t, nr: c_ulong, array: *mut *mut page) -> c_ulong;
    /// Adds pages to the list.
    #[link_name = "usermm_alloc_pages_bulk_list"]
    pub fn alloc_pages_bulk_list(gfp: gfp_t, nr: c_ulong, list: *mut list_head) -> c_ulong;
    /// The general form of the bulk calls.
    #[link_name = "usermm___alloc_pages_bulk"]
    pub fn __alloc_pages_bulk(
        gfp: gfp_t,
        preferred_nid: c_int,
        nodemask: *const c_ulong,
        nr: c_int,
        list: *mut list_head,
        array: *mut *mut page,
    ) -> c_ulong;
    /// Adds blocks of an order to the list.
    #[link_name = "usermm_alloc_pages_bulk_order"]
    pub fn alloc_pages_bulk_order(
        gfp: gfp_t,
        order: c_uint,
        nr: c_ulong,
        list: *mut list_head,
    ) -> c_ulong;
    /// Drops one reference of each page of the list.
    #[link_name = "usermm_free_pages_bulk_list"]
    pub fn free_pages_bulk_list(list: *mut list_head);
    /// Drops one reference of each page of the array.
    #[link_name = "usermm_free_pages_bulk"]
    pub fn free_pages_bulk(array: *mut *mut page, nr: c_ulong);
    /// Puts frozen pages into the array.
    #[link_name = "usermm_alloc_frozen_pages_bulk"]
    pub fn alloc_frozen_pages_bulk(gfp: gfp_t, nr: c_ulong, array: *mut *mut page) -> c_ulong;
    /// Frees the frozen pages of the array.
    #[link_name = "usermm_free_frozen_pages_bulk"]
    pub fn free_frozen_pages_bulk(array: *mut *mut page, nr: c_ulong);
    /// Turns a block into single pages.
    #[link_name = "usermm_split_page"]
    pub fn split_page(page: *mut page, order: c_uint);
    /// Contiguous single pages, as few as hold `size` bytes.
    #[link_name = "usermm_alloc_pages_exact"]
    pub fn alloc_pages_exact(size: usize, gfp: gfp_t) -> *mut c_void;
    /// The same, from a node first.
    #[link_name = "usermm_alloc_pages_exact_nid"]
    pub fn alloc_pages_exact_nid(nid: c_int, size: usize, gfp: gfp_t) -> *mut c_void;
    /// Frees such pages.
    #[link_name = "usermm_free_pages_exact"]
    pub fn free_pages_exact(addr: *mut c_void, size: usize);
    /// Gives this CPU's cached pages back to the buddy lists.
    #[link_name = "usermm_drain_local_pages"]
    pub fn drain_local_pages(zone: *mut zone);
    /// Gives all CPUs' cached pages back to the buddy lists.
    #[link_name = "usermm_drain_all_pages"]
    pub fn drain_all_pages(zone: *mut zone);
}

/// The struct page of an address inside the window.
///
/// # Safety
/// The library is in use, and the address lies in the window.
#[inline]
pub unsafe fn virt_to_page(addr: *const c_void) -> *mut page {
    // SAFETY: the caller promises that the window exists; it is constant from then on.
    unsafe { usermm_memmap.pages.add((addr as usize - usermm_memmap.base as usize) >> 12) }
}

/// The address of a page.
///
/// # Safety
/// The page is one of the library's.
#[inline]
pub unsafe fn page_address(page: *const page) -> *mut c_void {
    // SAFETY: both pointers lie in the array of struct pages, which is constant.
    unsafe {
        let pfn = page.offset_from(usermm_memmap.pages) as usize;
        with_exposed_provenance_mut(usermm_memmap.base as usize + (pfn << 12))
    }
}

/// The number of a page.
///
/// # Safety
/// The page is one of the library's.
#[inline]
pub unsafe fn page_to_pfn(page: *const page) -> c_ulong {
    // SAFETY: both pointers lie in the array of struct pages, which is constant.
    unsafe { page.offset_from(usermm_memmap.pages) as c_ulong }
}

// usermm/slab.h
unsafe extern "C" {
    /// Creates a cache.
    #[link_name = "usermm_kmem_cache_create"]
    pub fn kmem_cache_create(
        name: *const c_char,
        size: c_uint,
        align: c_uint,
        flags: slab_flags_t,
        ctor: Option<object_fn>,
    ) -> *mut kmem_cache;
    /// Gives all of the cache's memory back. Objects that remain are reported.
    #[link_name = "usermm_kmem_cache_destroy"]
    pub fn kmem_cache_destroy(cache: *mut kmem_cache);
    /// `kmem_cache_destroy()` that first frees all objects in use. 0, or a negative errno value.
    pub fn usermm_kmem_cache_destroy_all(cache: *mut kmem_cache) -> c_int;
    /// An object, or null.
    #[link_name = "usermm_kmem_cache_alloc"]
    pub fn kmem_cache_alloc(cache: *mut kmem_cache, gfp: gfp_t) -> *mut c_void;
    /// Frees an object.
    #[link_name = "usermm_kmem_cache_free"]
    pub fn kmem_cache_free(cache: *mut kmem_cache, object: *mut c_void);
    /// An object from a node first.
    #[link_name = "usermm_kmem_cache_alloc_node"]
    pub fn kmem_cache_alloc_node(cache: *mut kmem_cache, gfp: gfp_t, nid: c_int) -> *mut c_void;
    /// The object size that the cache was made for.
    #[link_name = "usermm_kmem_cache_size"]
    pub fn kmem_cache_size(cache: *const kmem_cache) -> c_uint;
    /// `n` objects, or none.
    #[link_name = "usermm_kmem_cache_alloc_bulk"]
    pub fn kmem_cache_alloc_bulk(
        cache: *mut kmem_cache,
        gfp: gfp_t,
        n: usize,
        objects: *mut *mut c_void,
    ) -> c_int;
    /// Frees `n` objects; without a cache they may be of any.
    #[link_name = "usermm_kmem_cache_free_bulk"]
    pub fn kmem_cache_free_bulk(cache: *mut kmem_cache, n: usize, objects: *mut *mut c_void);
    /// A stock of at least `size` objects.
    #[link_name = "usermm_kmem_cache_prefill_sheaf"]
    pub fn kmem_cache_prefill_sheaf(
        cache: *mut kmem_cache,
        gfp: gfp_t,
        size: c_uint,
    ) -> *mut slab_sheaf;
    /// Fills the stock up to at least `size` objects.
    #[link_name = "usermm_kmem_cache_refill_sheaf"]
    pub fn kmem_cache_refill_sheaf(
        cache: *mut kmem_cache,
        gfp: gfp_t,
        sheaf: *mut *mut slab_sheaf,
        size: c_uint,
    ) -> c_int;
    /// An object of the stock; null only if it is empty.
    #[link_name = "usermm_kmem_cache_alloc_from_sheaf"]
    pub fn kmem_cache_alloc_from_sheaf(
        cache: *mut kmem_cache,
        gfp: gfp_t,
        sheaf: *mut slab_sheaf,
    ) -> *mut c_void;
    /// Gives the stock and its objects back.
    #[link_name = "usermm_kmem_cache_return_sheaf"]
    pub fn kmem_cache_return_sheaf(cache: *mut kmem_cache, gfp: gfp_t, sheaf: *mut slab_sheaf);
    /// The number of objects in the stock.
    #[link_name = "usermm_kmem_cache_sheaf_size"]
    pub fn kmem_cache_sheaf_size(sheaf: *const slab_sheaf) -> c_uint;
    /// Gives unused memory of the cache back; 0 if it has none any more.
    #[link_name = "usermm_kmem_cache_shrink"]
    pub fn kmem_cache_shrink(cache: *mut kmem_cache) -> c_int;
    fn usermm_kmalloc_size(size: usize, gfp: gfp_t) -> *mut c_void;
    fn usermm_kmalloc_typed(size: usize, gfp: gfp_t) -> *mut c_void;
    /// `kmalloc()` from a node first.
    #[link_name = "usermm_kmalloc_node"]
    pub fn kmalloc_node(size: usize, gfp: gfp_t, nid: c_int) -> *mut c_void;
    /// `kmalloc()` that never waits.
    #[link_name = "usermm_kmalloc_nolock"]
    pub fn kmalloc_nolock(size: usize, gfp: gfp_t, nid: c_int) -> *mut c_void;
    /// Changes a block's size.
    #[link_name = "usermm_krealloc"]
    pub fn krealloc(object: *const c_void, new_size: usize, gfp: gfp_t) -> *mut c_void;
    /// Frees a block of `kmalloc()`, or an object of any cache.
    #[link_name = "usermm_kfree"]
    pub fn kfree(object: *const c_void);
    /// Clears a block and frees it.
    #[link_name = "usermm_kfree_sensitive"]
    pub fn kfree_sensitive(object: *const c_void);
    /// How many bytes of the block the caller may use.
    #[link_name = "usermm_ksize"]
    pub fn ksize(object: *const c_void) -> usize;
    /// The `ksize()` that `kmalloc(size)` would have.
    #[link_name = "usermm_kmalloc_size_roundup"]
    pub fn kmalloc_size_roundup(size: usize) -> usize;
    /// A block of any size.
    #[link_name = "usermm_kvmalloc_node"]
    pub fn kvmalloc_node(size: usize, gfp: gfp_t, nid: c_int) -> *mut c_void;
    /// Changes the size of a block of any size.
    #[link_name = "usermm_kvrealloc"]
    pub fn kvrealloc(object: *const c_void, new_size: usize, gfp: gfp_t) -> *mut c_void;
    /// Frees a block of any size.
    #[link_name = "usermm_kvfree"]
    pub fn kvfree(object: *const c_void);
    /// Clears and frees a block of any size.
    #[link_name = "usermm_kvfree_sensitive"]
    pub fn kvfree_sensitive(object: *const c_void, size: usize);
    /// Checks the cache's slabs.
    #[link_name = "usermm_validate_slab_cache"]
    pub fn validate_slab_cache(cache: *mut kmem_cache) -> c_long;
    /// Prints a line about an object.
    #[link_name = "usermm_kmem_dump_obj"]
    pub fn kmem_dump_obj(object: *mut c_void) -> bool;
    /// Prints a line about an address.
    #[link_name = "usermm_mem_dump_obj"]
    pub fn mem_dump_obj(object: *mut c_void);
}

/// A block of at least `size` bytes, at most `KMALLOC_MAX_SIZE`.
///
/// # Safety
/// As `kmalloc()` of `usermm/slab.h`.
#[inline]
pub unsafe fn kmalloc(size: usize, gfp: gfp_t) -> *mut c_void {
    // SAFETY: the caller promises what both functions ask for.
    unsafe {
        if gfp & (__GFP_RECLAIMABLE | __GFP_DMA | __GFP_ACCOUNT) != 0 {
            usermm_kmalloc_typed(size, gfp)
        } else {
            usermm_kmalloc_size(size, gfp)
        }
    }
}

/// `kmalloc()` with all bytes zero.
///
/// # Safety
/// As `kmalloc()`.
#[inline]
pub unsafe fn kzalloc(size: usize, gfp: gfp_t) -> *mut c_void {
    // SAFETY: the caller promises what kmalloc() asks for.
    unsafe { kmalloc(size, gfp | __GFP_ZERO) }
}

/// A block of any size.
///
/// # Safety
/// As `kvmalloc()` of `usermm/slab.h`.
#[inline]
pub unsafe fn kvmalloc(size: usize, gfp: gfp_t) -> *mut c_void {
    // SAFETY: the caller promises what kvmalloc_node() asks for.
    unsafe { kvmalloc_node(size, gfp, -1) }
}

// usermm/quicklist.h
unsafe extern "C" {
    /// A page of this CPU's list `nr`.
    #[link_name = "usermm_quicklist_alloc"]
    pub fn quicklist_alloc(nr: c_int, flags: gfp_t, ctor: Option<object_fn>) -> *mut c_void;
    /// Puts the page on this CPU's list `nr`.
    #[link_name = "usermm_quicklist_free"]
    pub fn quicklist_free(nr: c_int, dtor: Option<object_fn>, page: *mut c_void);
    /// The same, by the struct page.
    #[link_name = "usermm_quicklist_free_page"]
    pub fn quicklist_free_page(nr: c_int, dtor: Option<object_fn>, page: *mut page);
    /// Frees pages beyond `min_pages` of this CPU's list.
    #[link_name = "usermm_quicklist_trim"]
    pub fn quicklist_trim(
        nr: c_int,
        dtor: Option<object_fn>,
        min_pages: c_ulong,
        max_free: c_ulong,
    );
    /// Pages on all quicklists.
    #[link_name = "usermm_quicklist_total_size"]
    pub fn quicklist_total_size() -> c_ulong;
    /// Creates a quicklist behind a handle.
    #[link_name = "usermm_quicklist_cache_create"]
    pub fn quicklist_cache_create(
        name: *const c_char,
        ctor: Option<object_fn>,
        dtor: Option<object_fn>,
    ) -> *mut quicklist_cache;
    /// The same, for a state whose constructor may fail, or that can be checked.
    #[link_name = "usermm_quicklist_cache_create_state"]
    pub fn quicklist_cache_create_state(
        name: *const c_char,
        state: *const quicklist_state,
    ) -> *mut quicklist_cache;
    /// Destroys a quicklist.
    #[link_name = "usermm_quicklist_cache_destroy"]
    pub fn quicklist_cache_destroy(cache: *mut quicklist_cache);
    /// A page.
    #[link_name = "usermm_quicklist_cache_alloc"]
    pub fn quicklist_cache_alloc(cache: *mut quicklist_cache, flags: gfp_t) -> *mut c_void;
    /// Puts a page back.
    #[link_name = "usermm_quicklist_cache_free"]
    pub fn quicklist_cache_free(cache: *mut quicklist_cache, page: *mut c_void);
    /// Up to `nr` pages.
    #[link_name = "usermm_quicklist_cache_alloc_bulk"]
    pub fn quicklist_cache_alloc_bulk(
        cache: *mut quicklist_cache,
        flags: gfp_t,
        nr: c_uint,
        pages: *mut *mut c_void,
    ) -> c_uint;
    /// Puts `nr` pages back.
    #[link_name = "usermm_quicklist_cache_free_bulk"]
    pub fn quicklist_cache_free_bulk(
        cache: *mut quicklist_cache,
        nr: c_uint,
        pages: *const *mut c_void,
    );
    /// Frees pages beyond `min_pages` of this CPU's list.
    #[link_name = "usermm_quicklist_cache_trim"]
    pub fn quicklist_cache_trim(
        cache: *mut quicklist_cache,
        min_pages: c_ulong,
        max_free: c_ulong,
    ) -> c_ulong;
    /// Empties the lists of all CPUs.
    #[link_name = "usermm_quicklist_cache_shrink"]
    pub fn quicklist_cache_shrink(cache: *mut quicklist_cache) -> c_ulong;
    /// Counts of a quicklist.
    #[link_name = "usermm_quicklist_cache_stats"]
    pub fn quicklist_cache_stats(cache: *const quicklist_cache, stats: *mut quicklist_stats);
    /// Counts of numbered list `nr`.
    #[link_name = "usermm_quicklist_stats"]
    pub fn quicklist_stats(nr: c_int, stats: *mut quicklist_stats);
}

// usermm/shrinker.h
unsafe extern "C" {
    /// A new shrinker, which the caller fills in and registers.
    #[link_name = "usermm_shrinker_alloc"]
    pub fn shrinker_alloc(flags: c_uint, name: *const c_char, ...) -> *mut shrinker;
    /// Registers a shrinker.
    #[link_name = "usermm_shrinker_register"]
    pub fn shrinker_register(shrinker: *mut shrinker);
    /// Unregisters a shrinker, waits until no thread is in it, and frees it.
    #[link_name = "usermm_shrinker_free"]
    pub fn shrinker_free(shrinker: *mut shrinker);
    /// Asks every shrinker once.
    #[link_name = "usermm_shrink_slab"]
    pub fn shrink_slab(
        gfp_mask: gfp_t,
        nid: c_int,
        memcg: *mut mem_cgroup,
        priority: c_int,
    ) -> c_ulong;
}

/// `shrinker_alloc()` with a name that is no format.
///
/// # Safety
/// As `shrinker_alloc()` of `usermm/shrinker.h`.
#[inline]
pub unsafe fn shrinker_alloc_named(flags: c_uint, name: *const c_char) -> *mut shrinker {
    // SAFETY: the format takes one text, and there is one.
    unsafe { shrinker_alloc(flags, c"%s".as_ptr(), name) }
}

// usermm/reclaim.h
unsafe extern "C" {
    /// Requests of this thread lose `__GFP_IO` and `__GFP_FS` from here on.
    #[link_name = "usermm_memalloc_noio_save"]
    pub fn memalloc_noio_save() -> c_uint;
    /// Ends that scope.
    #[link_name = "usermm_memalloc_noio_restore"]
    pub fn memalloc_noio_restore(saved: c_uint);
    /// Requests of this thread lose `__GFP_FS` from here on.
    #[link_name = "usermm_memalloc_nofs_save"]
    pub fn memalloc_nofs_save() -> c_uint;
    /// Ends that scope.
    #[link_name = "usermm_memalloc_nofs_restore"]
    pub fn memalloc_nofs_restore(saved: c_uint);
    /// Requests of this thread reclaim nothing, and may use the reserves, from here on.
    #[link_name = "usermm_memalloc_noreclaim_save"]
    pub fn memalloc_noreclaim_save() -> c_uint;
    /// Ends that scope.
    #[link_name = "usermm_memalloc_noreclaim_restore"]
    pub fn memalloc_noreclaim_restore(saved: c_uint);
    /// Requests of this thread lose `__GFP_MOVABLE` from here on.
    #[link_name = "usermm_memalloc_pin_save"]
    pub fn memalloc_pin_save() -> c_uint;
    /// Ends that scope.
    #[link_name = "usermm_memalloc_pin_restore"]
    pub fn memalloc_pin_restore(saved: c_uint);
    /// The flags without those that requests lose in the thread's scopes.
    #[link_name = "usermm_current_gfp_context"]
    pub fn current_gfp_context(gfp: gfp_t) -> gfp_t;
    /// The program's choice of who gives up memory.
    pub fn usermm_set_oom_victim(
        choose: Option<unsafe extern "C" fn(gfp: gfp_t, order: c_uint) -> bool>,
    );
    /// The calling thread is a victim from here on.
    pub fn usermm_oom_victim_begin();
    /// It is none any more.
    pub fn usermm_oom_victim_end();
    /// Gives unused memory back to the system.
    pub fn usermm_trim(keep_bytes: usize) -> usize;
}

// usermm/stats.h, usermm/profile.h
unsafe extern "C" {
    /// Reads all counts.
    pub fn usermm_stats_read(stats: *mut usermm_stats);
    /// Writes the free blocks of each order.
    pub fn usermm_print_buddyinfo(fd: c_int);
    /// Writes the free blocks of each migrate type.
    pub fn usermm_print_pagetypeinfo(fd: c_int);
    /// Writes the zones.
    pub fn usermm_print_zoneinfo(fd: c_int);
    /// Writes the caches.
    pub fn usermm_print_slabinfo(fd: c_int);
    /// Writes the counters.
    pub fn usermm_print_vmstat(fd: c_int);
    /// Writes one cache's attributes; -1 if there is no such cache.
    pub fn usermm_print_slab_attributes(fd: c_int, cache: *const c_char) -> c_int;
    /// Writes to an attribute of a cache.
    pub fn usermm_write_slab_attribute(
        cache: *const c_char,
        attribute: *const c_char,
        text: *const c_char,
    ) -> c_int;
    /// Writes who allocated the objects of a cache.
    pub fn usermm_print_slab_alloc_traces(fd: c_int, cache: *const c_char) -> c_int;
    /// Writes who freed the objects of a cache the time before.
    pub fn usermm_print_slab_free_traces(fd: c_int, cache: *const c_char) -> c_int;
    /// Writes the quicklists.
    pub fn usermm_print_quicklists(fd: c_int);
    /// Writes a summary.
    pub fn usermm_print_summary(fd: c_int);
    /// Writes who owns each block of pages.
    pub fn usermm_print_page_owner(fd: c_int);
    /// Writes the report of the option `stats=`.
    pub fn usermm_print_stats(fd: c_int);
    /// Writes all counts as JSON.
    pub fn usermm_print_json(fd: c_int);
    /// Writes all counts in Prometheus' format.
    pub fn usermm_print_prometheus(fd: c_int);
    /// Writes the heap profile. 0, or a negative errno value.
    pub fn usermm_heap_profile(fd: c_int) -> c_int;
}
