// SPDX-License-Identifier: MIT
//! Options of the library.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::fmt;
use core::ptr::null;

use crate::error::{OptionsError, OptionsMessage};
use crate::sys;

/// The longest text of all options, with its zero byte.
const TEXT_BYTES: usize = 1024;

/// Options of the library, set before its first allocation.
///
/// A program whose global allocator is [`UserMm`](crate::UserMm) allocates before `main()`, so its
/// options are set by the macro [`options!`](crate::options!), or from outside by the variable
/// `USERMM_OPTIONS`. Other programs call [`apply`](Self::apply). A method is named after its
/// option, and `docs/options.md` of the project has them all.
///
/// ```
/// use usermm::Options;
///
/// let options = Options::new().limit(64 << 20).background("off");
/// assert_eq!(options.text(), "limit=67108864:background=off");
/// options.apply()?;
/// assert_eq!(Options::current("background").as_deref(), Some("off"));
/// # Ok::<(), usermm::OptionsError>(())
/// ```
#[derive(Clone)]
#[must_use = "apply() sets the options"]
pub struct Options {
    text: [u8; TEXT_BYTES],
    length: usize,
    is_too_long: bool,
}

impl Options {
    /// No options.
    ///
    /// ```
    /// assert_eq!(usermm::Options::new().text(), "");
    /// ```
    pub const fn new() -> Self {
        Self { text: [0; TEXT_BYTES], length: 0, is_too_long: false }
    }

    /// Options in the form of `USERMM_OPTIONS`: "name=value", separated by ':'.
    ///
    /// ```
    /// let options = usermm::Options::parse("limit=1G:hardened=1");
    /// assert_eq!(options.stats(1).text(), "limit=1G:hardened=1:stats=1");
    /// ```
    pub const fn parse(text: &str) -> Self {
        Self::new().append(text)
    }

    /// An option by its name.
    ///
    /// ```
    /// assert_eq!(usermm::Options::new().set("hardened", "1").text(), "hardened=1");
    /// ```
    pub const fn set(self, name: &str, value: &str) -> Self {
        self.begin(name).append(value)
    }

    /// The options in the form of `USERMM_OPTIONS`.
    ///
    /// ```
    /// assert_eq!(usermm::Options::new().hardened(1).text(), "hardened=1");
    /// ```
    pub const fn text(&self) -> &str {
        match core::str::from_utf8(self.text.split_at(self.length).0) {
            Ok(text) => text,
            Err(_) => "",
        }
    }

    /// Sets the options, before the first allocation. Nothing is set if the call comes too late; if
    /// an option is bad, only the others are.
    ///
    /// ```
    /// use usermm::{Options, OptionsError};
    ///
    /// Options::new().hardened(0).apply()?;
    /// let _first = usermm::PageBlock::zeroed(0);
    /// let late = Options::new().hardened(1).apply().unwrap_err();
    /// assert_eq!(late.to_string(), "options must be set before the first allocation");
    /// # Ok::<(), OptionsError>(())
    /// ```
    #[allow(clippy::result_large_err, reason = "an allocation would end the time for options")]
    pub fn apply(&self) -> Result<(), OptionsError> {
        if self.is_too_long {
            return Err(OptionsError::TooLong);
        }
        if self.text().contains('\0') {
            return Err(OptionsError::Refused(OptionsMessage::new(b"a zero byte in the options")));
        }
        let mut error: *const c_char = null();
        // SAFETY: the text ends with a zero byte, since `append()` leaves the last one.
        let failed = unsafe { sys::usermm_set_options(self.text.as_ptr().cast(), &raw mut error) };
        if failed == 0 {
            return Ok(());
        }
        // SAFETY: a failed call has set the message, which is valid until the next call.
        let message = unsafe { CStr::from_ptr(error) };
        Err(OptionsError::Refused(OptionsMessage::new(message.to_bytes())))
    }

    /// The value of an option in this process; None if there is no such option.
    ///
    /// ```
    /// use usermm::Options;
    ///
    /// # if cfg!(not(any(miri, usermm_mock))) {
    /// assert_eq!(Options::current("hardened").as_deref(), Some("0"));
    /// # }
    /// assert_eq!(Options::current("no such option"), None);
    /// ```
    pub fn current(name: &str) -> Option<alloc::string::String> {
        Self::rows(|row| row.0 == name).map(|(_, value)| value)
    }

    /// The first row of the library's table that the closure wants: its name and its value.
    pub(crate) fn rows(
        mut wanted: impl FnMut(&(&str, &str)) -> bool,
    ) -> Option<(alloc::string::String, alloc::string::String)> {
        use core::sync::atomic::{AtomicBool, Ordering};

        /// The library's table is for one thread at a time.
        static IS_READ: AtomicBool = AtomicBool::new(false);

        struct Reading;

        impl Drop for Reading {
            fn drop(&mut self) {
                // Pairs with the exchange below: the next reader comes after this one.
                IS_READ.store(false, Ordering::Release);
            }
        }

        while IS_READ.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_err() {
            core::hint::spin_loop();
        }
        let _reading = Reading;
        let mut row = core::mem::MaybeUninit::<sys::usermm_option_info>::uninit();
        for i in 0.. {
            // SAFETY: only this thread reads the table, through this function. The texts are valid
            // until the next call.
            unsafe {
                if !sys::usermm_option_info(i, row.as_mut_ptr()) {
                    break;
                }
                let row = row.assume_init_ref();
                let name = CStr::from_ptr(row.name).to_str().unwrap_or_default();
                let value = CStr::from_ptr(row.current_value).to_str().unwrap_or_default();
                if wanted(&(name, value)) {
                    return Some((name.into(), value.into()));
                }
            }
        }
        None
    }

    const fn begin(mut self, name: &str) -> Self {
        if self.length != 0 {
            self = self.append(":");
        }
        self.append(name).append("=")
    }

    const fn append(mut self, text: &str) -> Self {
        let bytes = text.as_bytes();
        if self.is_too_long || bytes.len() >= TEXT_BYTES - self.length {
            self.is_too_long = true;
            return self;
        }
        let mut i = 0;
        while i < bytes.len() {
            self.text[self.length] = bytes[i];
            self.length += 1;
            i += 1;
        }
        self
    }

    const fn append_number(self, number: u64) -> Self {
        let digit = b'0' + (number % 10) as u8;
        let this = if number >= 10 { self.append_number(number / 10) } else { self };
        match core::str::from_utf8(&[digit]) {
            Ok(digit) => this.append(digit),
            Err(_) => this,
        }
    }
}

macro_rules! option_methods {
    (@type number) => { u64 };
    (@type text) => { &str };
    (@append number, $this:expr, $value:expr) => { $this.append_number($value) };
    (@append text, $this:expr, $value:expr) => { $this.append($value) };
    ($($(#[doc = $doc:literal])* $kind:ident $name:ident: $example:expr => $text:literal;)*) => {
        impl Options {
            /// The options that have a method.
            #[cfg(test)]
            const NAMES: &'static [&'static str] = &[$(stringify!($name)),*];

            $(
                $(#[doc = $doc])*
                ///
                /// ```
                #[doc = concat!("let options = usermm::Options::new().", stringify!($name), "(",
                    stringify!($example), ");")]
                #[doc = concat!("assert_eq!(options.text(), \"", $text, "\");")]
                /// ```
                pub const fn $name(self, value: option_methods!(@type $kind)) -> Self {
                    option_methods!(@append $kind, self.begin(stringify!($name)), value)
                }
            )*
        }
    };
}

option_methods! {
    /// How a thread reaches its per-CPU lists. auto: by restartable sequences, indexed by the
    /// number that suits the machine; cpu_id, mm_cid: by restartable sequences, indexed by that
    /// field of struct rseq; off: by locked slots. One of `auto`, `off`, `cpu_id`, `mm_cid`.
    text rseq: "off" => "rseq=off";
    /// Address space to reserve for pages; 0: as much as RAM and swap. Memory is used only as it is
    /// needed. `0..128T`.
    number reserve: 1 << 30 => "reserve=1073741824";
    /// Bytes that may be in use at once, as pages and as malloc's mappings; in steps of 4M, at
    /// least 4M. 0: the machine's own limits, and mappings do not count. `0..128T`.
    number limit: 1 << 30 => "limit=1073741824";
    /// Number of simulated memory nodes, for tests: they share the machine's memory, and CPUs
    /// belong to them in turn. 0: the machine's nodes. `0..16`.
    number nodes: 1 => "nodes=1";
    /// Size of each node's DMA zone, in steps of 4M. If any of the four zone options is set, only
    /// zones with a size exist, and reserve and limit have no effect. `0..1T`.
    number zone_dma: 1 << 30 => "zone_dma=1073741824";
    /// Size of each node's DMA32 zone. `0..1T`.
    number zone_dma32: 1 << 30 => "zone_dma32=1073741824";
    /// Size of each node's Normal zone. `0..1T`.
    number zone_normal: 1 << 30 => "zone_normal=1073741824";
    /// Size of each node's Movable zone. `0..1T`.
    number zone_movable: 1 << 30 => "zone_movable=1073741824";
    /// KiB that all zones together keep back for urgent requests. The size of memory gives a number
    /// as well; the larger one counts. `0..1073741824`.
    number min_free_kbytes: 1 => "min_free_kbytes=1";
    /// Off: per-CPU lists keep no pages, so every request passes the zones' watermarks. One of
    /// `on`, `off`.
    text pcp: "off" => "pcp=off";
    /// 1: at exit, write buddyinfo, slabinfo, quicklists and a summary to stderr, and with
    /// page_owner=1 the owners of all pages. 2: also pagetypeinfo, zoneinfo and vmstat, and with
    /// slab_debug=U the owners of all objects. `0..2`.
    number stats: 1 => "stats=1";
    /// Format in which stats=1 or stats=2 writes at exit. text: for people; json: one document on
    /// one line; prometheus: Prometheus' text format. json and prometheus always have the summary,
    /// zones, caches and vmstat, and never the lists of quicklists and owners. One of `text`,
    /// `json`, `prometheus`.
    text stats_format: "json" => "stats_format=json";
    /// File for stats=1 and stats=2 at exit, instead of stderr. %p: the process id; %n: the
    /// document's number in the process; %%: a %. With %p a document replaces the file. Without %p
    /// the documents of all processes are appended, but a document in Prometheus' format replaces
    /// the file. `PATH`.
    text stats_file: "/tmp/stats.%p" => "stats_file=/tmp/stats.%p";
    /// Number of simulated CPUs, for tests: locked slots, which threads get in turn. 0: the
    /// machine's CPUs. `0..64`.
    number simulated_cpus: 1 => "simulated_cpus=1";
    /// Stats: quicklists count their hits; verify: they also check the state of each page that is
    /// freed or handed out. One of `off`, `stats`, `verify`.
    text quicklist_debug: "stats" => "quicklist_debug=stats";
    /// Checks in slab caches. F: consistency; Z: red zones; P: poison; U: users (who allocated and
    /// freed); T: trace; A: failslab; O: no checks in caches whose slabs they would enlarge; -:
    /// none; no letter: FZPU. For all caches, or for the named ones; a trailing * stands for any
    /// rest of a name. `[FZPUTAO-][,CACHE...][;...]`.
    text slab_debug: "FZPU,request" => "slab_debug=FZPU,request";
    /// Make allocations from slab caches fail, if they may not wait: every interval-th one, with
    /// this probability in percent, after this many bytes (space), at most this many times (-1: no
    /// limit). ignore-gfp-wait=0: also allocations that may wait; cache-filter=1: only caches with
    /// slab_debug=A. `interval,probability,space,times[,NAME=VALUE...]`.
    text failslab: "1,100,0,1" => "failslab=1,100,0,1";
    /// How a CPU keeps free objects. sheaf: an array, with objects of any slab; slab: the list of
    /// free objects of one slab. For all caches, or for the named ones; a trailing * stands for any
    /// rest of a name. `sheaf|slab[,CACHE...]`.
    text slab_cpu_cache: "slab" => "slab_cpu_cache=slab";
    /// Whether caches of equal objects become one cache. auto: only caches of kernel sources; on:
    /// all; off: none. One of `auto`, `on`, `off`.
    text slab_merge: "on" => "slab_merge=on";
    /// 1: all caches have the counters of Linux's CONFIG_SLUB_STATS, and lose their fast paths.
    /// `0..1`.
    number slab_stats: 1 => "slab_stats=1";
    /// Bytes of free objects that all caches together may keep outside of their slabs. Each CPU may
    /// keep a page of each cache's objects in addition. 0: 512M, but at most a 64th of the budget;
    /// 1: only the additional page. Beyond a quarter of all slabs and 32M, idle objects go back
    /// when another cache needs a slab. `0..128T`.
    number slab_cache_bytes: 1 << 30 => "slab_cache_bytes=1073741824";
    /// Bytes of freed mappings that malloc keeps for its next large blocks. 0: 32M, but at most a
    /// 16th of the budget; 1: none. None are kept with limit=, with options that clear or watch
    /// freed memory, and under RLIMIT_AS or RLIMIT_DATA. `0..128T`.
    number mapping_cache_bytes: 1 << 30 => "mapping_cache_bytes=1073741824";
    /// On: kmalloc has sixteen caches for each size, and the calling place chooses one. So an
    /// object that is used after its free is rarely reused by another place. One of `off`, `on`.
    text random_kmalloc_caches: "on" => "random_kmalloc_caches=on";
    /// On: a new slab hands out its objects in random order. One of `off`, `on`.
    text slab_freelist_random: "on" => "slab_freelist_random=on";
    /// On: links between free objects are stored encoded, and a link that leads nowhere is
    /// reported. One of `off`, `on`.
    text slab_freelist_hardened: "on" => "slab_freelist_hardened=on";
    /// 1: malloc's blocks end in a canary, are cleared when freed, and are checked before reuse.
    /// Freed blocks wait, and are reused in random order. Large blocks lie between guard pages.
    /// Implies slab_freelist_random and slab_freelist_hardened. `0..1`.
    number hardened: 1 => "hardened=1";
    /// N: about one in N objects gets a page of its own, between two inaccessible pages. A wrong
    /// access is reported at once, with the stacks of the allocation and the free. 0: off.
    /// `0..1000000000`.
    number kfence_sample: 1 => "kfence_sample=1";
    /// N: about one of malloc's blocks in N bytes is sampled, with its size and stack, for a
    /// profile of the heap. 512K is usual; 0: off. `0..1T`.
    number profile: 1 << 30 => "profile=1073741824";
    /// File for the profile, at exit and on request. %p: the process id; %n: the profile's number
    /// in the process; %%: a %. Child processes inherit the option, so without %p the last process
    /// that ends keeps the file. `PATH`.
    text profile_file: "/tmp/heap.%p" => "profile_file=/tmp/heap.%p";
    /// Number of a signal that makes the process write its profile; 0: none. `0..64`.
    number profile_signal: 1 => "profile_signal=1";
    /// The background thread. auto: made when more free memory is to go back to the system than
    /// frees give back themselves, or when a shrinker is registered and memory runs short; on: made
    /// for any memory to give back; off: never made. One of `auto`, `off`, `on`.
    text background: "off" => "background=off";
    /// On: `usermm control` may ask the process from outside to read and change its controls. The
    /// background thread, which answers, is then made at once, and stays. One of `off`, `on`.
    text control: "on" => "control=on";
    /// What the background thread does while the memory cgroup lacks memory. auto: it gives back
    /// all free memory that is kept; off: it does not look. The thread is not made for this. One of
    /// `auto`, `off`.
    text pressure: "off" => "pressure=off";
    /// Transparent huge pages for malloc's memory. default: as the machine is set; auto: asked for
    /// where a heap of 16M and more grows, until it gives memory back; always, never: asked for, or
    /// refused, everywhere. One of `default`, `auto`, `always`, `never`.
    text thp: "auto" => "thp=auto";
    /// On: one system call makes many pages present where a heap grows, if they are few beside the
    /// memory in use; off: each page comes by a page fault. One of `on`, `off`.
    text prefault: "off" => "prefault=off";
    /// What follows the report of a page that was freed twice or wrongly. report: go on without the
    /// page, as Linux does; abort: end the process; auto: report for kernel sources, abort for
    /// other programs. One of `auto`, `report`, `abort`.
    text bad_page: "report" => "bad_page=report";
    /// Make requests for pages fail, if they have order 1 or more and may not wait: every interval-
    /// th one, with this probability in percent, after this many pages (space), at most this many
    /// times (-1: no limit). min-order=0, ignore-gfp-wait=0, ignore-gfp-highmem=0: also the
    /// requests that are otherwise left out. `interval,probability,space,times[,NAME=VALUE...]`.
    text fail_page_alloc: "1,100,0,1" => "fail_page_alloc=1,100,0,1";
    /// 1: free pages are filled with a pattern, and a write to a free page is reported when the
    /// page is allocated again. `0..1`.
    number page_poison: 1 => "page_poison=1";
    /// 1: free pages are inaccessible, so a use after free is a SIGSEGV. A share of the mappings
    /// that the system allows limits how many. `0..1`.
    number debug_pagealloc: 1 => "debug_pagealloc=1";
    /// 1: pages and slab objects are cleared when they are allocated. `0..1`.
    number init_on_alloc: 1 => "init_on_alloc=1";
    /// 1: pages and slab objects are cleared when they are freed. `0..1`.
    number init_on_free: 1 => "init_on_free=1";
    /// 1: remember who allocated and who freed each page; stats=1 writes it. `0..1`.
    number page_owner: 1 => "page_owner=1";
}

impl Default for Options {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Options").field(&self.text()).finish()
    }
}

/// Sets options when the program starts, before anything allocates: for programs whose global
/// allocator is [`UserMm`](crate::UserMm).
///
/// It stands once in a program, outside of functions, and takes an [`Options`](crate::Options) that
/// is constant. What the variable `USERMM_OPTIONS` says is read first, so the program's options
/// win. A bad option gives a line on stderr, and the program goes on without it.
///
/// ```
/// #[global_allocator]
/// static GLOBAL: usermm::UserMm = usermm::UserMm;
///
/// usermm::options!(usermm::Options::new().limit(1 << 30).background("off"));
///
/// fn main() {
///     # if cfg!(not(any(miri, usermm_mock))) {
///     assert_eq!(usermm::Options::current("background").as_deref(), Some("off"));
///     # }
/// }
/// ```
#[macro_export]
macro_rules! options {
    ($options:expr) => {
        const _: () = {
            static OPTIONS: $crate::Options = $options;

            extern "C" fn set() {
                $crate::__private::set_at_start(&OPTIONS);
            }

            // Before the constructors of libraries (101 and later), and the first allocation.
            #[used]
            #[cfg_attr(not(miri), unsafe(link_section = ".init_array.00100"))]
            static SET: extern "C" fn() = set;
        };
    };
}

/// What the macro calls. It writes to stderr by itself: before `main()` nothing else is ready.
pub fn set_at_start(options: &Options) {
    unsafe extern "C" {
        fn write(fd: c_int, bytes: *const c_void, count: usize) -> isize;
    }

    struct Stderr;

    impl fmt::Write for Stderr {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            // SAFETY: the text has so many bytes. Nobody can be told of an error.
            unsafe { write(2, text.as_ptr().cast(), text.len()) };
            Ok(())
        }
    }

    if let Err(error) = options.apply() {
        use fmt::Write;

        let _ = writeln!(Stderr, "usermm: options!: {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::Options;
    use std::string::ToString;
    use std::vec::Vec;

    #[test]
    fn each_option_has_a_method() {
        let mut theirs = Vec::new();
        Options::rows(|(name, _)| {
            theirs.push(std::string::String::from(*name));
            false
        });
        if cfg!(any(miri, usermm_mock)) {
            return;
        }
        assert_eq!(Options::NAMES, theirs, "options.rs has a method for each row of options.def");
    }

    #[test]
    fn a_long_text_is_an_error() {
        let long = "x".repeat(1024);
        assert_eq!(Options::parse(&long).apply(), Err(super::OptionsError::TooLong));
        assert_eq!(Options::parse(&long[..1023]).text().len(), 1023);
        let later = Options::parse(&long[..1020]).stats(1);
        assert_eq!(later.apply(), Err(super::OptionsError::TooLong));
    }

    #[test]
    fn a_zero_byte_is_an_error() {
        let error = Options::parse("limit=1G\0:stats=1").apply().unwrap_err();
        assert_eq!(error.to_string(), "a zero byte in the options");
    }

    #[test]
    fn numbers_are_whole() {
        assert_eq!(Options::new().limit(u64::MAX).text(), "limit=18446744073709551615");
        assert_eq!(Options::new().limit(0).text(), "limit=0");
    }
}
