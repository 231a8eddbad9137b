// SPDX-License-Identifier: MIT
//! Stands for the C library under Miri, and in builds with `--cfg usermm_mock`.
//!
//! Each object, page block and malloc block is an allocation of its own from the system, so Miri
//! and the address sanitizer see every access outside of it, after its free, and each leak. The
//! functions keep the rules of the headers that the crate `usermm` relies on: a constructor runs
//! once for an object, which then keeps its content; a quicklist uses a page's first word; a cache
//! with objects in use is not destroyed. Misuse panics.
#![allow(missing_docs, reason = "src/functions.rs has the docs")]
#![allow(non_camel_case_types, reason = "the headers' names")]
#![allow(clippy::undocumented_unsafe_blocks, reason = "the callers keep the headers' rules")]

use core::alloc::{GlobalAlloc, Layout};
use core::ffi::{CStr, c_char, c_int, c_uint, c_ulong, c_void};
use core::ptr::{self, NonNull, null_mut};
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::alloc::System;
use std::boxed::Box;
use std::sync::Mutex;
use std::vec::Vec;

use crate::gfp::*;
use crate::types::shrinker as shrinker_;
use crate::types::*;

/// A constructor or destructor of an object or a page.
pub type object_fn = unsafe extern "C" fn(object: *mut c_void);

static BYTES_IN_USE: AtomicUsize = AtomicUsize::new(0);
static WAS_USED: AtomicBool = AtomicBool::new(false);
/// Requests of more bytes fail, as if there were no more memory.
const LARGEST: usize = 1 << 31;

fn system_alloc(layout: Layout, zeroed: bool) -> *mut u8 {
    WAS_USED.store(true, SeqCst);
    if layout.size() > LARGEST {
        return null_mut();
    }
    let block = unsafe { if zeroed { System.alloc_zeroed(layout) } else { System.alloc(layout) } };
    if !block.is_null() {
        BYTES_IN_USE.fetch_add(layout.size(), SeqCst);
    }
    block
}

unsafe fn system_free(block: *mut u8, layout: Layout) {
    BYTES_IN_USE.fetch_sub(layout.size(), SeqCst);
    unsafe { System.dealloc(block, layout) };
}

// --- malloc: each block is an allocation of its own, and has an entry in a list ---

#[derive(Clone, Copy)]
struct Block {
    address: usize,
    size: usize,
    align: usize,
}

impl Block {
    fn layout(&self) -> Option<Layout> {
        Layout::from_size_align(self.size.max(1), self.align).ok()
    }
}

/// As a Vec, which would call the global allocator, and that may be this one.
struct Blocks {
    first: *mut Block,
    nr: usize,
    room: usize,
}

unsafe impl Send for Blocks {}

static BLOCKS: Mutex<Blocks> =
    Mutex::new(Blocks { first: NonNull::dangling().as_ptr(), nr: 0, room: 0 });

impl Blocks {
    fn add(&mut self, block: Block) {
        if self.nr == self.room {
            self.grow();
        }
        unsafe { self.first.add(self.nr).write(block) };
        self.nr += 1;
    }

    fn grow(&mut self) {
        let old = Layout::array::<Block>(self.room).unwrap();
        self.room = (2 * self.room).max(64);
        let new = Layout::array::<Block>(self.room).unwrap();
        let first = unsafe {
            if old.size() == 0 {
                System.alloc(new)
            } else {
                System.realloc(self.first.cast(), old, new.size())
            }
        };
        assert!(!first.is_null(), "no memory for the list of blocks");
        self.first = first.cast();
    }

    /// The newest ones are mostly the first to go.
    fn find(&mut self, address: *mut c_void) -> &mut Block {
        let blocks = unsafe { core::slice::from_raw_parts_mut(self.first, self.nr) };
        let found = blocks.iter_mut().rev().find(|block| block.address == address.addr());
        found.expect("no block of malloc's")
    }

    fn remove(&mut self, address: *mut c_void) -> Block {
        let last = unsafe { *self.first.add(self.nr - 1) };
        let removed = core::mem::replace(self.find(address), last);
        self.nr -= 1;
        removed
    }
}

unsafe fn block_alloc(align: usize, size: usize, zeroed: bool) -> *mut c_void {
    let mut block = Block { address: 0, size, align: align.max(16) };
    let Some(layout) = block.layout() else { return null_mut() };
    let memory = system_alloc(layout, zeroed);
    if !memory.is_null() {
        block.address = memory.addr();
        BLOCKS.lock().unwrap().add(block);
    }
    memory.cast()
}

fn size_of_block(block: *mut c_void) -> usize {
    BLOCKS.lock().unwrap().find(block).size
}

pub unsafe fn usermm_malloc(size: usize) -> *mut c_void {
    unsafe { block_alloc(16, size, false) }
}

pub unsafe fn usermm_calloc(n: usize, size: usize) -> *mut c_void {
    n.checked_mul(size).map_or(null_mut(), |bytes| unsafe { block_alloc(16, bytes, true) })
}

pub unsafe fn usermm_aligned_alloc(align: usize, size: usize) -> *mut c_void {
    if !align.is_power_of_two() {
        return null_mut();
    }
    unsafe { block_alloc(align, size, false) }
}

pub unsafe fn usermm_aligned_zalloc(align: usize, size: usize) -> *mut c_void {
    unsafe { block_alloc(align, size, true) }
}

pub unsafe fn usermm_aligned_realloc(block: *mut c_void, align: usize, size: usize) -> *mut c_void {
    unsafe {
        let new = block_alloc(align, size.max(1), false);
        if !new.is_null() && !block.is_null() {
            let bytes = size_of_block(block).min(size);
            ptr::copy_nonoverlapping(block.cast::<u8>(), new.cast(), bytes);
            usermm_free(block);
        }
        new
    }
}

pub unsafe fn usermm_realloc(block: *mut c_void, size: usize) -> *mut c_void {
    unsafe {
        if block.is_null() {
            return usermm_malloc(size);
        }
        let new = block_alloc(16, size, false);
        if !new.is_null() {
            let bytes = size_of_block(block).min(size);
            ptr::copy_nonoverlapping(block.cast::<u8>(), new.cast(), bytes);
            usermm_free(block);
        }
        new
    }
}

pub unsafe fn usermm_free(block: *mut c_void) {
    if block.is_null() {
        return;
    }
    let layout = BLOCKS.lock().unwrap().remove(block).layout().unwrap();
    unsafe { system_free(block.cast(), layout) };
}

pub unsafe fn usermm_free_sized(block: *mut c_void, size: usize) {
    unsafe { usermm_free_aligned_sized(block, 1, size) };
}

pub unsafe fn usermm_free_aligned_sized(block: *mut c_void, align: usize, size: usize) {
    unsafe {
        assert!(block.is_null() || size_of_block(block) == size, "freed with another size");
        assert!(block.is_aligned_to_power(align), "freed with another alignment");
        usermm_free(block);
    }
}

pub unsafe fn usermm_usable_size(block: *mut c_void) -> usize {
    if block.is_null() { 0 } else { size_of_block(block) }
}

trait IsAligned {
    fn is_aligned_to_power(self, align: usize) -> bool;
}

impl IsAligned for *mut c_void {
    fn is_aligned_to_power(self, align: usize) -> bool {
        self.addr() & (align - 1) == 0
    }
}

// --- Heaps: each has the addresses of its blocks ---

type Heap = Mutex<Vec<usize>>;

unsafe fn heap<'a>(heap: *mut usermm_heap) -> &'a Heap {
    unsafe { &*heap.cast::<Heap>() }
}

unsafe fn heap_add(heap_: *mut usermm_heap, block: *mut c_void) -> *mut c_void {
    if !block.is_null() {
        unsafe { heap(heap_) }.lock().unwrap().push(block.expose_provenance());
    }
    block
}

pub unsafe fn usermm_heap_create(_name: *const c_char) -> *mut usermm_heap {
    Box::into_raw(Box::new(Heap::new(Vec::new()))).cast()
}

pub unsafe fn usermm_heap_destroy(heap: *mut usermm_heap) {
    let heap = unsafe { Box::from_raw(heap.cast::<Heap>()) };
    for block in heap.into_inner().unwrap() {
        unsafe { usermm_free(ptr::with_exposed_provenance_mut(block)) };
    }
}

pub unsafe fn usermm_heap_alloc(heap: *mut usermm_heap, size: usize) -> *mut c_void {
    unsafe { heap_add(heap, usermm_malloc(size)) }
}

pub unsafe fn usermm_heap_zalloc(heap: *mut usermm_heap, size: usize) -> *mut c_void {
    unsafe { heap_add(heap, usermm_calloc(1, size)) }
}

pub unsafe fn usermm_heap_aligned_alloc(
    heap: *mut usermm_heap,
    align: usize,
    size: usize,
) -> *mut c_void {
    unsafe { heap_add(heap, usermm_aligned_alloc(align, size)) }
}

pub unsafe fn usermm_heap_realloc(
    heap_: *mut usermm_heap,
    block: *mut c_void,
    size: usize,
) -> *mut c_void {
    unsafe {
        let new = usermm_realloc(block, size);
        if !new.is_null() {
            heap(heap_).lock().unwrap().retain(|own| *own != block.addr());
        }
        heap_add(heap_, new)
    }
}

pub unsafe fn usermm_heap_free(heap_: *mut usermm_heap, block: *mut c_void) {
    let mut blocks = unsafe { heap(heap_) }.lock().unwrap();
    let i = blocks.iter().position(|own| *own == block.addr());
    blocks.swap_remove(i.expect("the block is of this heap"));
    unsafe { usermm_free(block) };
}

pub unsafe fn usermm_heap_usable_size(_heap: *mut usermm_heap, block: *mut c_void) -> usize {
    unsafe { usermm_usable_size(block) }
}

pub unsafe fn usermm_heap_stats_read(heap_: *mut usermm_heap, stats: *mut usermm_heap_stats) {
    let blocks = unsafe { heap(heap_) }.lock().unwrap();
    let size = |block: &usize| size_of_block(ptr::with_exposed_provenance_mut(*block));
    let bytes = blocks.iter().map(size).sum();
    unsafe { *stats = usermm_heap_stats { blocks: blocks.len(), bytes, held_bytes: bytes } };
}

// --- The library ---

pub unsafe fn usermm_control(
    name: *const c_char,
    old_value: *mut u64,
    new_value: *const u64,
) -> c_int {
    const ENOENT: c_int = 2;

    if unsafe { CStr::from_ptr(name) } != c"nr_cpus" {
        return -ENOENT;
    }
    if !new_value.is_null() {
        return -1;
    }
    unsafe { *old_value = 1 };
    0
}

pub unsafe fn usermm_control_info(_i: c_uint, _info: *mut usermm_control_info) -> bool {
    false
}

pub unsafe fn usermm_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

pub unsafe fn usermm_doctor_read(doctor: *mut usermm_doctor) {
    unsafe {
        doctor.write(usermm_doctor {
            percpu_mode: c"locked".as_ptr(),
            percpu_reason: c"there is no C library".as_ptr(),
            slot_index: c"getcpu".as_ptr(),
            rseq_area: c"none".as_ptr(),
            can_stop: false,
            nr_slots: 1,
            os_page_bytes: PAGE_SIZE,
            ram_bytes: LARGEST,
            limit_bytes: LARGEST,
            limit_source: c"none".as_ptr(),
        });
    }
}

pub unsafe fn usermm_set_options(text: *const c_char, error: *mut *const c_char) -> c_int {
    let text = unsafe { CStr::from_ptr(text) }.to_bytes();
    let problem = if WAS_USED.load(SeqCst) {
        c"options must be set before the first allocation"
    } else if text.split(|byte| *byte == b':').any(|part| !part.contains(&b'=')) {
        c"an option has no value"
    } else {
        return 0;
    };
    unsafe { *error = problem.as_ptr() };
    -1
}

pub unsafe fn usermm_option_info(_i: c_uint, _info: *mut usermm_option_info) -> bool {
    false
}

// --- Pages: page.mapping holds the address, page.index the order ---

fn block_layout(order: c_uint) -> Layout {
    Layout::from_size_align(PAGE_SIZE << order, PAGE_SIZE << order).unwrap()
}

pub unsafe fn alloc_frozen_pages(gfp: gfp_t, order: c_uint) -> *mut page {
    if order > MAX_PAGE_ORDER {
        return null_mut();
    }
    let block = system_alloc(block_layout(order), gfp & __GFP_ZERO != 0);
    let page = system_alloc(Layout::new::<page>(), true).cast::<page>();
    assert!(!block.is_null() && !page.is_null());
    unsafe {
        (*page).mapping = block.cast();
        (*page).index = order.into();
    }
    page
}

pub unsafe fn free_frozen_pages(page: *mut page, order: c_uint) {
    unsafe {
        assert_eq!((*page).index, order.into(), "a block is freed with another order");
        system_free((*page).mapping.cast(), block_layout(order));
        system_free(page.cast(), Layout::new::<page>());
    }
}

pub unsafe fn alloc_frozen_pages_bulk(gfp: gfp_t, nr: c_ulong, array: *mut *mut page) -> c_ulong {
    for i in 0..nr as usize {
        unsafe { array.add(i).write(alloc_frozen_pages(gfp, 0)) };
    }
    nr
}

pub unsafe fn free_frozen_pages_bulk(array: *mut *mut page, nr: c_ulong) {
    for i in 0..nr as usize {
        unsafe { free_frozen_pages(*array.add(i), 0) };
    }
}

pub unsafe fn page_address(page: *const page) -> *mut c_void {
    unsafe { (*page).mapping }
}

pub unsafe fn page_to_pfn(page: *const page) -> c_ulong {
    unsafe { ((*page).mapping.addr() / PAGE_SIZE) as c_ulong }
}

pub unsafe fn drain_all_pages(_zone: *mut zone) {}

// --- Caches ---

struct Cache {
    layout: Layout,
    ctor: Option<object_fn>,
    /// Objects that are constructed and free.
    free: Mutex<Vec<usize>>,
    in_use: AtomicUsize,
}

unsafe fn cache<'a>(cache: *mut kmem_cache) -> &'a Cache {
    unsafe { &*cache.cast::<Cache>() }
}

pub unsafe fn kmem_cache_create(
    name: *const c_char,
    size: c_uint,
    align: c_uint,
    _flags: slab_flags_t,
    ctor: Option<object_fn>,
) -> *mut kmem_cache {
    WAS_USED.store(true, SeqCst);
    let layout = Layout::from_size_align(size as usize, (align as usize).max(8)).unwrap();
    if unsafe { *name } == 0 || layout.size() < KMALLOC_MIN_SIZE || layout.size() > KMALLOC_MAX_SIZE
    {
        return null_mut();
    }
    let cache = Cache { layout, ctor, free: Mutex::new(Vec::new()), in_use: AtomicUsize::new(0) };
    Box::into_raw(Box::new(cache)).cast()
}

pub unsafe fn kmem_cache_shrink(cache_: *mut kmem_cache) -> c_int {
    let cache = unsafe { cache(cache_) };
    for object in cache.free.lock().unwrap().drain(..) {
        unsafe { system_free(ptr::with_exposed_provenance_mut(object), cache.layout) };
    }
    (cache.in_use.load(SeqCst) != 0).into()
}

pub unsafe fn kmem_cache_size(cache_: *const kmem_cache) -> c_uint {
    unsafe { cache(cache_.cast_mut()) }.layout.size() as c_uint
}

pub unsafe fn kmem_cache_destroy(cache: *mut kmem_cache) {
    unsafe {
        if kmem_cache_shrink(cache) == 0 {
            drop(Box::from_raw(cache.cast::<Cache>()));
        }
    }
}

pub unsafe fn usermm_kmem_cache_destroy_all(cache_: *mut kmem_cache) -> c_int {
    const EBUSY: c_int = 16;

    // The mock does not know the objects in use.
    if unsafe { kmem_cache_shrink(cache_) } != 0 {
        return -EBUSY;
    }
    unsafe { kmem_cache_destroy(cache_) };
    0
}

pub unsafe fn kmem_cache_alloc(cache_: *mut kmem_cache, gfp: gfp_t) -> *mut c_void {
    let cache = unsafe { cache(cache_) };
    assert!(cache.ctor.is_none() || gfp & __GFP_ZERO == 0, "a constructed object is zeroed");
    cache.in_use.fetch_add(1, SeqCst);
    let free = cache.free.lock().unwrap().pop();
    if let Some(object) = free {
        return ptr::with_exposed_provenance_mut(object);
    }
    let object = system_alloc(cache.layout, gfp & __GFP_ZERO != 0).cast();
    if let Some(ctor) = cache.ctor {
        unsafe { ctor(object) };
    }
    object
}

pub unsafe fn kmem_cache_free(cache_: *mut kmem_cache, object: *mut c_void) {
    let cache = unsafe { cache(cache_) };
    assert_ne!(cache.in_use.fetch_sub(1, SeqCst), 0, "more objects are freed than allocated");
    if cache.ctor.is_some() {
        cache.free.lock().unwrap().push(object.expose_provenance());
    } else {
        unsafe { system_free(object.cast(), cache.layout) };
    }
}

pub unsafe fn kmem_cache_alloc_bulk(
    cache: *mut kmem_cache,
    gfp: gfp_t,
    n: usize,
    objects: *mut *mut c_void,
) -> c_int {
    for i in 0..n {
        unsafe { objects.add(i).write(kmem_cache_alloc(cache, gfp)) };
    }
    n as c_int
}

pub unsafe fn kmem_cache_free_bulk(cache: *mut kmem_cache, n: usize, objects: *mut *mut c_void) {
    for i in 0..n {
        unsafe { kmem_cache_free(cache, *objects.add(i)) };
    }
}

struct Sheaf(Vec<usize>);

unsafe fn sheaf<'a>(sheaf: *mut slab_sheaf) -> &'a mut Sheaf {
    unsafe { &mut *sheaf.cast() }
}

pub unsafe fn kmem_cache_prefill_sheaf(
    cache: *mut kmem_cache,
    gfp: gfp_t,
    size: c_uint,
) -> *mut slab_sheaf {
    let mut sheaf = Box::into_raw(Box::new(Sheaf(Vec::new()))).cast();
    unsafe { kmem_cache_refill_sheaf(cache, gfp, &mut sheaf, size) };
    sheaf
}

pub unsafe fn kmem_cache_refill_sheaf(
    cache: *mut kmem_cache,
    gfp: gfp_t,
    sheaf_: *mut *mut slab_sheaf,
    size: c_uint,
) -> c_int {
    let objects = unsafe { &mut sheaf(*sheaf_).0 };
    while objects.len() < size as usize {
        objects.push(unsafe { kmem_cache_alloc(cache, gfp) }.expose_provenance());
    }
    0
}

pub unsafe fn kmem_cache_alloc_from_sheaf(
    _cache: *mut kmem_cache,
    _gfp: gfp_t,
    sheaf_: *mut slab_sheaf,
) -> *mut c_void {
    let object = unsafe { sheaf(sheaf_).0.pop() };
    object.map_or(null_mut(), ptr::with_exposed_provenance_mut)
}

pub unsafe fn kmem_cache_return_sheaf(cache: *mut kmem_cache, _gfp: gfp_t, sheaf: *mut slab_sheaf) {
    let sheaf = unsafe { Box::from_raw(sheaf.cast::<Sheaf>()) };
    for object in sheaf.0 {
        unsafe { kmem_cache_free(cache, ptr::with_exposed_provenance_mut(object)) };
    }
}

pub unsafe fn kmem_cache_sheaf_size(sheaf: *const slab_sheaf) -> c_uint {
    unsafe { (*sheaf.cast::<Sheaf>()).0.len() as c_uint }
}

// --- Quicklists ---

struct Quicklist {
    state: quicklist_state,
    pages: Vec<usize>,
    stats: quicklist_stats,
}

unsafe fn quicklist<'a>(list: *const quicklist_cache) -> &'a Mutex<Quicklist> {
    unsafe { &*list.cast() }
}

pub unsafe fn quicklist_cache_create_state(
    _name: *const c_char,
    state: *const quicklist_state,
) -> *mut quicklist_cache {
    let list = Quicklist {
        state: unsafe { *state },
        pages: Vec::new(),
        stats: quicklist_stats::default(),
    };
    Box::into_raw(Box::new(Mutex::new(list))).cast()
}

pub unsafe fn quicklist_cache_destroy(list: *mut quicklist_cache) {
    unsafe {
        quicklist_cache_shrink(list);
        drop(Box::from_raw(list.cast::<Mutex<Quicklist>>()));
    }
}

pub unsafe fn quicklist_cache_alloc(list: *mut quicklist_cache, _gfp: gfp_t) -> *mut c_void {
    let mut list = unsafe { quicklist(list) }.lock().unwrap();
    if let Some(page) = list.pages.pop() {
        let page = ptr::with_exposed_provenance_mut::<usize>(page);
        list.stats.hits += 1;
        unsafe { page.write(0) };
        return page.cast();
    }
    let page: *mut c_void = system_alloc(block_layout(0), true).cast();
    list.stats.misses += 1;
    if let Some(ctor) = list.state.ctor {
        list.stats.ctors += 1;
        if unsafe { ctor(page) } != 0 {
            unsafe { system_free(page.cast(), block_layout(0)) };
            return null_mut();
        }
    }
    page
}

pub unsafe fn quicklist_cache_free(list: *mut quicklist_cache, page: *mut c_void) {
    let mut list = unsafe { quicklist(list) }.lock().unwrap();
    if let Some(check) = list.state.check {
        assert_eq!(unsafe { check(page) }, -1, "a page is not in its state");
    }
    // The list's link.
    unsafe { page.cast::<usize>().write(!0) };
    list.pages.push(page.expose_provenance());
}

pub unsafe fn quicklist_cache_alloc_bulk(
    list: *mut quicklist_cache,
    gfp: gfp_t,
    nr: c_uint,
    pages: *mut *mut c_void,
) -> c_uint {
    for i in 0..nr {
        unsafe {
            let page = quicklist_cache_alloc(list, gfp);
            if page.is_null() {
                return i;
            }
            pages.add(i as usize).write(page);
        }
    }
    nr
}

pub unsafe fn quicklist_cache_free_bulk(
    list: *mut quicklist_cache,
    nr: c_uint,
    pages: *const *mut c_void,
) {
    for i in 0..nr as usize {
        unsafe { quicklist_cache_free(list, *pages.add(i)) };
    }
}

pub unsafe fn quicklist_cache_trim(
    list_: *mut quicklist_cache,
    min_pages: c_ulong,
    max_free: c_ulong,
) -> c_ulong {
    let mut list = unsafe { quicklist(list_) }.lock().unwrap();
    let mut freed = 0;
    while freed < max_free && list.pages.len() as c_ulong > min_pages {
        let page = ptr::with_exposed_provenance_mut::<usize>(list.pages.pop().unwrap());
        unsafe { page.write(0) };
        if let Some(dtor) = list.state.dtor {
            list.stats.dtors += 1;
            unsafe { dtor(page.cast()) };
        }
        unsafe { system_free(page.cast(), block_layout(0)) };
        freed += 1;
    }
    list.stats.returned += freed;
    list.stats.trimmed += freed;
    freed
}

pub unsafe fn quicklist_cache_shrink(list: *mut quicklist_cache) -> c_ulong {
    unsafe { quicklist_cache_trim(list, 0, c_ulong::MAX) }
}

pub unsafe fn quicklist_cache_stats(list: *const quicklist_cache, stats: *mut quicklist_stats) {
    let list = unsafe { quicklist(list) }.lock().unwrap();
    unsafe { *stats = quicklist_stats { pages: list.pages.len() as c_ulong, ..list.stats } };
}

/// A page of a quicklist that is not given back to the quicklist.
pub unsafe fn free_pages(addr: c_ulong, order: c_uint) {
    let page = ptr::with_exposed_provenance_mut::<u8>(addr as usize);
    unsafe { system_free(page, block_layout(order)) };
}

// --- Shrinkers ---

static SHRINKERS: Mutex<Vec<usize>> = Mutex::new(Vec::new());

pub unsafe fn shrinker_alloc_named(flags: c_uint, name: *const c_char) -> *mut shrinker {
    assert!(unsafe { CStr::from_ptr(name) }.count_bytes() > 0);
    let shrinker = system_alloc(Layout::new::<shrinker>(), true).cast::<shrinker>();
    unsafe {
        (*shrinker).flags = flags;
        (*shrinker).seeks = DEFAULT_SEEKS;
    }
    shrinker
}

pub unsafe fn shrinker_register(shrinker: *mut shrinker) {
    SHRINKERS.lock().unwrap().push(shrinker.expose_provenance());
}

pub unsafe fn shrinker_free(shrinker: *mut shrinker) {
    // Waits for whoever is in a shrinker.
    SHRINKERS.lock().unwrap().retain(|other| *other != shrinker.addr());
    unsafe { system_free(shrinker.cast(), Layout::new::<shrinker_>()) };
}

pub unsafe fn shrink_slab(
    gfp_mask: gfp_t,
    nid: c_int,
    memcg: *mut mem_cgroup,
    _priority: c_int,
) -> c_ulong {
    let shrinkers = SHRINKERS.lock().unwrap();
    let mut freed = 0;
    for shrinker in shrinkers.iter() {
        let shrinker = ptr::with_exposed_provenance_mut::<shrinker_>(*shrinker);
        let mut control = shrink_control { gfp_mask, nid, nr_to_scan: 0, nr_scanned: 0, memcg };
        unsafe {
            let count = (*shrinker).count_objects.unwrap()(shrinker, &mut control);
            if count == 0 || count == SHRINK_EMPTY {
                continue;
            }
            control.nr_to_scan = count;
            control.nr_scanned = count;
            let scanned = (*shrinker).scan_objects.unwrap()(shrinker, &mut control);
            freed += if scanned == SHRINK_STOP { 0 } else { scanned };
        }
    }
    freed
}

// --- Scopes, statistics ---

macro_rules! scopes {
    ($($save:ident $restore:ident)*) => {
        $(
            pub unsafe fn $save() -> c_uint {
                0
            }

            pub unsafe fn $restore(_saved: c_uint) {}
        )*
    };
}

scopes! {
    memalloc_noio_save memalloc_noio_restore
    memalloc_nofs_save memalloc_nofs_restore
    memalloc_noreclaim_save memalloc_noreclaim_restore
    memalloc_pin_save memalloc_pin_restore
}

pub unsafe fn current_gfp_context(gfp: gfp_t) -> gfp_t {
    gfp
}

pub unsafe fn usermm_trim(_keep_bytes: usize) -> usize {
    0
}

pub unsafe fn usermm_stats_read(stats: *mut usermm_stats) {
    let allocated_bytes = BYTES_IN_USE.load(SeqCst);
    unsafe { *stats = usermm_stats { allocated_bytes, ..usermm_stats::default() } };
}

macro_rules! reports {
    ($($name:ident)*) => {
        $(pub unsafe fn $name(_fd: c_int) {})*
    };
}

reports! {
    usermm_print_buddyinfo usermm_print_pagetypeinfo usermm_print_zoneinfo usermm_print_slabinfo
    usermm_print_vmstat usermm_print_quicklists usermm_print_summary usermm_print_page_owner
    usermm_print_stats usermm_print_json usermm_print_prometheus
}
