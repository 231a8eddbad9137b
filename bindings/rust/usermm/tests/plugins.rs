// SPDX-License-Identifier: MIT
//! A cdylib with usermm in it is loaded, used, closed, and loaded again, also under threads.
#![cfg(not(any(miri, usermm_mock)))]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::sync::OnceLock;
use std::thread;

mod support;

const RTLD_NOW: c_int = 2;

unsafe extern "C" {
    fn dlopen(path: *const c_char, mode: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlclose(library: *mut c_void) -> c_int;
    fn dlerror() -> *const c_char;
}

/// The plugin, which the first test that asks for it compiles.
fn path() -> &'static CStr {
    static PATH: OnceLock<CString> = OnceLock::new();

    PATH.get_or_init(|| {
        let path = support::made_file("libplugin.so");
        let source = support::test_file("plugin/plugin.rs");
        let done = support::rustc(&source, &path, "cdylib", "link");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        CString::new(path.into_os_string().into_encoded_bytes()).unwrap()
    })
}

struct Plugin {
    library: *mut c_void,
    count: extern "C" fn(u64) -> u64,
    clear: extern "C" fn() -> c_int,
}

impl Plugin {
    fn open(path: &CStr) -> Self {
        // SAFETY: the plugin's constructors are those of usermm. Its functions have these types.
        unsafe {
            let library = dlopen(path.as_ptr(), RTLD_NOW);
            assert!(!library.is_null(), "{:?}", CStr::from_ptr(dlerror()));
            let count = dlsym(library, c"plugin_count".as_ptr());
            let clear = dlsym(library, c"plugin_clear".as_ptr());
            assert!(!count.is_null() && !clear.is_null());
            Self {
                library,
                count: std::mem::transmute::<*mut c_void, extern "C" fn(u64) -> u64>(count),
                clear: std::mem::transmute::<*mut c_void, extern "C" fn() -> c_int>(clear),
            }
        }
    }

    fn close(self) {
        // SAFETY: its functions are not called any more.
        assert_eq!(unsafe { dlclose(self.library) }, 0);
    }
}

#[test]
fn a_plugin_is_closed_and_loaded_again() {
    let path = path();
    for round in 0..20 {
        let plugin = Plugin::open(path);
        // It stays in the process, and so does what it knows.
        assert!((plugin.count)(round) > 0);
        thread::scope(|scope| {
            for thread in 0..3_u64 {
                let count = plugin.count;
                scope.spawn(move || (0..500).map(|i| count(i * 3 + thread)).max());
            }
        });
        assert_eq!((plugin.clear)(), 1, "the plugin's memory is usermm's");
        plugin.close();
    }
}

#[test]
fn threads_outlive_a_plugin() {
    let path = path();
    let plugin = Plugin::open(path);
    let count = plugin.count;
    let thread = thread::spawn(move || (0..20_000).map(|i| count(i % 100)).max());
    for _ in 0..100 {
        Plugin::open(path).close();
    }
    plugin.close();
    assert!(thread.join().unwrap() > Some(0));
}

/// What belongs to usermm inside the plugin is not seen outside of it.
#[test]
fn a_plugin_exports_its_own_names_alone() {
    let plugin = Plugin::open(path());
    for name in [c"usermm_malloc", c"usermm_kmem_cache_alloc", c"malloc_dispatch"] {
        // SAFETY: looking a name up calls nothing.
        assert!(unsafe { dlsym(plugin.library, name.as_ptr()) }.is_null(), "{name:?}");
    }
    plugin.close();
}
