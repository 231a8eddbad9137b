// SPDX-License-Identifier: MIT
//! Which C sources are compiled, and how: the same as CMakeLists.txt says for libusermm.a. A file
//! that is new there is found here, too, unless a list says otherwise. The test bindings/sources
//! compares each file and its flags with those of a build (tests/bindings/compare_sources.py).
//!
//!   core     all layers below malloc, and what only archives have (os/keep_loaded.c)
//!   malloc   the layer malloc without what takes libc's place (interpose/), and what needs it: its
//!            functions get the names of usermm/malloc.h, so that malloc() stays libc's

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// The functions of libc that the layer malloc defines, and their names here
/// (cf. cmake/api_malloc.cmake).
const MALLOC_NAMES: &[(&str, &str)] = &[
    ("malloc", "usermm_malloc"),
    ("calloc", "usermm_calloc"),
    ("realloc", "usermm_realloc"),
    ("reallocarray", "usermm_reallocarray"),
    ("free", "usermm_free"),
    ("free_sized", "usermm_free_sized"),
    ("free_aligned_sized", "usermm_free_aligned_sized"),
    ("memalign", "usermm_memalign"),
    ("aligned_alloc", "usermm_aligned_alloc"),
    ("posix_memalign", "usermm_posix_memalign"),
    ("valloc", "usermm_valloc"),
    ("pvalloc", "usermm_pvalloc"),
    ("memalignment", "usermm_memalignment"),
    ("malloc_usable_size", "usermm_usable_size"),
    ("malloc_trim", "usermm_malloc_trim"),
];
/// Hot functions are linked in this order: the page that they fill begins with free().
const HOT_SOURCES: &[&str] = &["free.c", "malloc_slow.c", "malloc.c", "realloc.c"];
/// These files outside of the layer malloc need it.
const WITH_MALLOC: &[&str] = &["api/control.c", "api/control_requests.c", "stats/layout_malloc.c"];
/// What is for a program's malloc alone: jemalloc's names, a name by which linkers find malloc, and
/// the process's family (malloc/family.h).
const LEFT_OUT: &[&str] = &["api/mallctl.c", "malloc/linked.c", "malloc/family.c"];

/// Sequences want this in every profile.
pub const OPTIMIZATION: u32 = 2;
pub const STANDARD: &str = "gnu17";
pub const COMMON_FLAGS: &[&str] = &["-fvisibility=hidden", "-fasynchronous-unwind-tables"];

pub type Define = (String, Option<String>);

/// Files that are compiled alike.
pub struct Group {
    pub is_malloc: bool,
    pub flags: &'static [&'static str],
    pub files: Vec<PathBuf>,
}

impl Group {
    pub fn defines(&self) -> Vec<Define> {
        if !self.is_malloc {
            return Vec::new();
        }
        let renamed = MALLOC_NAMES.iter().map(|(name, ours)| define(name, ours));
        renamed.chain([("USERMM_API_MALLOC".to_string(), None)]).collect()
    }
}

/// What all files are compiled with (cf. cmake/flags.cmake).
pub fn common_defines(version: &str, assertions: bool, unwinder: bool) -> Vec<Define> {
    let mut defines = vec![
        define("_GNU_SOURCE", ""),
        define("USERMM_DEBUG", if assertions { "1" } else { "0" }),
        define("USERMM_VERSION", &format!("\"{version}\"")),
        define("USERMM_PRIVATE_PREFIX", &format!("\"usermm_{version}_\"")),
    ];
    if unwinder {
        defines.push(("USERMM_UNWINDER".to_string(), None));
    }
    defines
}

fn define(name: &str, value: &str) -> Define {
    (name.to_string(), Some(value.to_string()))
}

/// All sources below src, in the order in which they are linked; none if there is no such folder.
/// machine is the target's, as Rust calls it; gnu: the compiler knows gcc's flags.
pub fn find_sources(src: &Path, machine: &str, gnu: bool) -> Vec<Group> {
    let mut files = Vec::new();
    collect(src, &mut files);
    let layer = src.join("malloc");
    files.retain(|path| !LEFT_OUT.iter().any(|name| path.ends_with(name)));
    files.retain(|path| !path.starts_with(layer.join("interpose")));
    let needs_malloc = |path: &Path| {
        path.starts_with(&layer) || WITH_MALLOC.iter().any(|name| path.ends_with(name))
    };
    files.sort_by_key(|path| {
        let hot = HOT_SOURCES.iter().position(|name| *path == layer.join(name));
        (hot.unwrap_or(HOT_SOURCES.len()), !needs_malloc(path), path.clone())
    });
    let mut groups: Vec<Group> = Vec::new();
    for path in files {
        let is_malloc = needs_malloc(&path);
        let flags = own_flags(&path, machine, gnu);
        let found = groups.iter_mut().find(|it| it.is_malloc == is_malloc && it.flags == flags);
        match found {
            Some(group) => group.files.push(path),
            None => groups.push(Group { is_malloc, flags, files: vec![path] }),
        }
    }
    groups
}

/// The flags that one file has and others have not.
fn own_flags(path: &Path, machine: &str, gnu: bool) -> &'static [&'static str] {
    if path.to_string_lossy().ends_with("_avx2.c") && machine == "x86_64" {
        // Called only where the machine has the instructions.
        &["-mavx2", "-mlzcnt"]
    } else if path.ends_with("malloc/free.c") && gnu {
        // The file says why. clang does not know the flag.
        &["-falign-jumps=64:8", "-fno-cse-follow-jumps"]
    } else if path.ends_with("base/text.c") {
        // It is what the builtins would call.
        &["-fno-builtin"]
    } else {
        &[]
    }
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension() == Some(OsStr::new("c")) {
            found.push(path);
        }
    }
}
