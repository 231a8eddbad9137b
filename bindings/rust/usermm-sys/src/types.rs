// SPDX-License-Identifier: MIT
//! Structures and constants of the public headers, with the headers' names.
#![allow(non_camel_case_types, reason = "the headers' names")]

use core::ffi::{c_char, c_int, c_long, c_uint, c_ulong, c_void};

use crate::gfp::gfp_t;

/// Flags of `kmem_cache_create()`.
pub type slab_flags_t = c_uint;

/// Align objects to cache lines.
pub const SLAB_HWCACHE_ALIGN: slab_flags_t = 0x1;
/// If the cache cannot be created, the process ends.
pub const SLAB_PANIC: slab_flags_t = 0x2;
/// Every call checks the slab, its freelist and the object.
pub const SLAB_CONSISTENCY_CHECKS: slab_flags_t = 0x100;
/// Guard bytes around objects.
pub const SLAB_RED_ZONE: slab_flags_t = 0x400;
/// Free objects hold a pattern.
pub const SLAB_POISON: slab_flags_t = 0x800;
/// Keeps who allocated and freed.
pub const SLAB_STORE_USER: slab_flags_t = 0x10000;
/// Reports every call.
pub const SLAB_TRACE: slab_flags_t = 0x200000;
/// The cache is never merged with equal ones.
pub const SLAB_NO_MERGE: slab_flags_t = 0x1000000;
/// Fault injection may make allocations fail.
pub const SLAB_FAILSLAB: slab_flags_t = 0x2000000;

/// Bytes of a page of the allocator, whatever the machine's page size is.
pub const PAGE_SIZE: usize = 4096;
/// The highest order: a block has 2^order pages.
pub const MAX_PAGE_ORDER: c_uint = 10;
/// The smallest object of a cache.
pub const KMALLOC_MIN_SIZE: usize = 8;
/// Beyond this, kmalloc's blocks are whole pages.
pub const KMALLOC_MAX_CACHE_SIZE: usize = 8192;
/// The largest object of a cache, and of kmalloc.
pub const KMALLOC_MAX_SIZE: usize = 4096 << 10;
/// The numbered quicklists.
pub const CONFIG_NR_QUICK: c_int = 4;

/// `scan_objects()` can make no progress now.
pub const SHRINK_STOP: c_ulong = !0;
/// `count_objects()` has none.
pub const SHRINK_EMPTY: c_ulong = !0 - 1;
/// The usual cost of recreating an object.
pub const DEFAULT_SEEKS: c_int = 2;
/// A shrinker that is asked separately for each node.
pub const SHRINKER_NUMA_AWARE: c_uint = 1 << 2;
/// Longest name of a shrinker, with its null byte.
pub const USERMM_SHRINKER_NAME_BYTES: usize = 32;

macro_rules! opaque {
    ($($(#[doc = $doc:literal])* $name:ident;)*) => {
        $(
            $(#[doc = $doc])*
            #[repr(C)]
            pub struct $name {
                _private: [u8; 0],
                _pinned: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
            }
        )*
    };
}

opaque! {
    /// A cache of equal objects.
    kmem_cache;
    /// A prefilled stock of objects.
    slab_sheaf;
    /// A quicklist behind a handle.
    quicklist_cache;
    /// A zone of pages.
    zone;
    /// A memory cgroup.
    mem_cgroup;
}

/// A list, or a link of one.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct list_head {
    /// The next entry, or the list.
    pub next: *mut list_head,
    /// The entry before, or the list.
    pub prev: *mut list_head,
}

/// One page frame. The owner may use `lru`, `private`, `index` and `mapping`.
#[repr(C)]
#[derive(Debug)]
pub struct page {
    /// Type bits.
    pub flags: c_ulong,
    /// On the owner's list.
    pub lru: list_head,
    reserved: c_ulong,
    /// The owner's.
    pub private: c_ulong,
    /// The owner's.
    pub index: c_ulong,
    refcount: i32,
    order: u8,
    on_partial: u8,
    disabled: u8,
    debugged: u8,
    /// The owner's; null when the page is freed.
    pub mapping: *mut c_void,
}

/// The window of addresses in which all pages lie.
#[repr(C, align(16))]
#[derive(Debug)]
pub struct usermm_memmap {
    /// The struct page of the window's first page; an array.
    pub pages: *mut page,
    /// A page's cache; null if it is in no slab.
    pub slab_caches: *mut *mut kmem_cache,
    /// The address of the window's first page.
    pub base: c_ulong,
}

/// A state of pages whose constructor may fail, or that can be checked.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct quicklist_state {
    /// Builds the state in a zeroed page; not 0: it failed.
    pub ctor: Option<unsafe extern "C" fn(page: *mut c_void) -> c_int>,
    /// The page goes back to the page allocator.
    pub dtor: Option<unsafe extern "C" fn(page: *mut c_void)>,
    /// The offset of the first byte that is not in the state, or -1. Ignores the first word.
    pub check: Option<unsafe extern "C" fn(page: *const c_void) -> c_long>,
}

/// Counts of a quicklist since the start.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct quicklist_stats {
    /// On the lists now.
    pub pages: c_ulong,
    /// Pages that came from the page allocator.
    pub misses: c_ulong,
    /// Pages that went back.
    pub returned: c_ulong,
    /// The part of them due to trim, shrink or memory pressure.
    pub trimmed: c_ulong,
    /// Pages handed out from a list; only with `quicklist_debug=`.
    pub hits: c_ulong,
    /// Calls of the constructor.
    pub ctors: c_ulong,
    /// Calls of the destructor.
    pub dtors: c_ulong,
}

/// What a shrinker is asked.
#[repr(C)]
#[derive(Debug)]
pub struct shrink_control {
    /// The flags of the asking request.
    pub gfp_mask: gfp_t,
    /// The node.
    pub nid: c_int,
    /// How many objects to look at.
    pub nr_to_scan: c_ulong,
    /// How many were looked at; `nr_to_scan` unless the shrinker says otherwise.
    pub nr_scanned: c_ulong,
    /// Always null.
    pub memcg: *mut mem_cgroup,
}

/// A call-back of a shrinker.
pub type shrinker_fn =
    unsafe extern "C" fn(shrinker: *mut shrinker, control: *mut shrink_control) -> c_ulong;

/// Call-backs that free objects when memory runs short.
#[repr(C)]
#[derive(Debug)]
pub struct shrinker {
    /// How many objects could be freed?
    pub count_objects: Option<shrinker_fn>,
    /// Free some, and say how many.
    pub scan_objects: Option<shrinker_fn>,
    /// Objects asked for at a time; 0: 128.
    pub batch: c_long,
    /// The cost of recreating an object.
    pub seeks: c_int,
    /// `SHRINKER_` values.
    pub flags: c_uint,
    /// The program's.
    pub private_data: *mut c_void,
    list: list_head,
    nr_deferred: *mut c_long,
    one_deferred: c_long,
    running: c_uint,
    generation: c_uint,
    name: [c_char; USERMM_SHRINKER_NAME_BYTES],
}

macro_rules! statistics {
    ($($(#[doc = $doc:literal])* $name:ident,)*) => {
        /// Counts of the allocators.
        #[repr(C)]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct usermm_stats {
            $($(#[doc = $doc])* pub $name: usize,)*
        }

        impl usermm_stats {
            /// Each field's name and value, in the header's order.
            pub fn fields(&self) -> impl Iterator<Item = (&'static str, usize)> + use<> {
                [$((stringify!($name), self.$name)),*].into_iter()
            }
        }
    };
}

statistics! {
    /// Address space reserved for pages.
    window_bytes,
    /// The size of the window that was tried first.
    window_wished_bytes,
    /// How much of the window the zones may use.
    budget_bytes,
    /// Brought online so far.
    online_bytes,
    /// The part of the budget that is neither used nor cached.
    free_bytes,
    /// Pages on per-CPU lists.
    pcp_bytes,
    /// Pages that are slabs.
    slab_bytes,
    /// Pages on quicklists.
    quicklist_bytes,
    /// Blocks outside of the window.
    mapped_bytes,
    /// The number of blocks outside of the window.
    mapped_count,
    /// struct pages and other tables brought online.
    metadata_bytes,
    /// Per-CPU arrays filled from slabs, since the start.
    slab_refills,
    /// How often several objects went back to slabs at once, since the start.
    slab_flushes,
    /// Objects that per-CPU arrays got from slabs, since the start.
    slab_objects,
    /// Slabs created since the start.
    slabs_created,
    /// Slabs freed since the start.
    slabs_freed,
    /// Per-CPU page lists filled from the buddy lists, since the start.
    page_refills,
    /// Per-CPU page lists emptied to the buddy lists, since the start.
    page_spills,
    /// Requests that got no pages, since the start.
    page_failures,
    /// Page blocks of malloc allocated since the start.
    malloc_page_blocks,
    /// Mapping blocks of malloc allocated since the start.
    malloc_large_blocks,
    /// Freed mappings kept for the next blocks.
    large_kept_bytes,
    /// In use now: objects, blocks of pages, and mappings, each with all of its bytes.
    allocated_bytes,
    /// All pages and mappings that hold memory in use.
    active_bytes,
    /// active_bytes, free memory that is kept for reuse, and metadata.
    resident_bytes,
    /// Free online pages whose memory can be given back.
    dirty_bytes,
    /// Free online pages whose memory was given back.
    released_bytes,
}

/// What the library found out about itself and the machine.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct usermm_doctor {
    /// "rseq" or "locked".
    pub percpu_mode: *const c_char,
    /// Why.
    pub percpu_reason: *const c_char,
    /// "mm_cid", "cpu_id" or "getcpu".
    pub slot_index: *const c_char,
    /// Who registered it.
    pub rseq_area: *const c_char,
    /// Can one thread drain another CPU's lists?
    pub can_stop: bool,
    /// Per-CPU slots.
    pub nr_slots: c_uint,
    /// The machine's page.
    pub os_page_bytes: usize,
    /// RAM and swap.
    pub ram_bytes: usize,
    /// Pages that may be used: the smallest limit found.
    pub limit_bytes: usize,
    /// Which limit this is.
    pub limit_source: *const c_char,
}

/// A row of the table of options.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct usermm_option_info {
    /// Its name.
    pub name: *const c_char,
    /// "ENUM", "UINT", "SIZE" or "TEXT".
    pub r#type: *const c_char,
    /// Values, low and high, or the form.
    pub range: *const c_char,
    /// "STABLE" or "TESTING".
    pub stability: *const c_char,
    /// What it does.
    pub help: *const c_char,
    /// The value if it is not given.
    pub default_value: *const c_char,
    /// The value in this process.
    pub current_value: *const c_char,
}
