// SPDX-License-Identifier: MIT
//! Has each function of the public headers a declaration here?
#![cfg(not(miri))]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Headers whose functions are not declared, and why.
const LEFT_OUT: &[(&str, &str)] = &[
    ("bindings.h", "inline functions are inline here, too"),
    ("control.h", "controls"),
    ("heap.h", "heaps"),
    ("fault.h", "fault injection is armed by options"),
    ("mallctl.h", "it is for libusermm_malloc"),
    ("mallocx.h", "it is for libusermm_malloc"),
    ("mempolicy.h", "policies of memory nodes"),
    ("pgtable.h", "page tables of x86-64, for hypervisors"),
    ("profile.h", "it is for libusermm_malloc"),
];
/// Functions that are not declared, and why.
const FUNCTIONS_LEFT_OUT: &[(&str, &str)] = &[
    ("usermm_vfork", "a function that returns twice cannot be called from Rust"),
    ("usermm_aligned_zalloc", "usermm_aligned_alloc() serves"),
    ("usermm_aligned_realloc", "usermm_aligned_alloc() serves"),
    ("usermm_kmem_cache_destroy_all", "kmem_cache_destroy() serves"),
    ("usermm_kmalloc_class", "kmalloc() is inline here, and never knows the class"),
    ("usermm_kmalloc_cache", "it is for kernel sources"),
    ("gfp_allowed_mask", "a variable for tests of the library"),
    ("register_oom_notifier", "Shrinker and usermm_set_oom_victim() serve"),
    ("unregister_oom_notifier", "Shrinker and usermm_set_oom_victim() serve"),
    ("usermm_register_shrinker", "the interface up to Linux 6.6"),
    ("unregister_shrinker", "the interface up to Linux 6.6"),
    ("page_frag_alloc", "fragments of pages"),
    ("page_frag_alloc_align", "fragments of pages"),
    ("page_frag_free", "fragments of pages"),
    ("page_frag_cache_drain", "fragments of pages"),
    ("__page_frag_cache_drain", "fragments of pages"),
];

/// The text without the preprocessor's lines.
fn without_directives(text: &str) -> String {
    let mut kept = String::new();
    let mut goes_on = false;
    for line in text.lines() {
        if !goes_on && !line.starts_with('#') {
            kept += line;
            kept.push('\n');
            continue;
        }
        goes_on = line.ends_with('\\');
    }
    kept
}

/// The names that a header exports: USERMM_API(name), and usermm_name( at a default visibility.
fn exported(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for part in text.split("USERMM_API(").skip(1) {
        names.insert(part.split(')').next().unwrap().to_string());
    }
    for declaration in without_directives(text).split(';') {
        if !declaration.contains("visibility(\"default\")") {
            continue;
        }
        // The comment or function in front of a declaration may name other functions.
        let declaration = declaration.rsplit("*/").next().unwrap();
        let declaration = declaration.rsplit('}').next().unwrap();
        if let Some(start) = declaration.find("usermm_") {
            let rest = &declaration[start..];
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap();
            if rest[end..].starts_with('(') {
                names.insert(rest[..end].to_string());
            }
        }
    }
    names.remove("name");
    names
}

#[test]
fn every_function_is_declared() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let ours = fs::read_to_string(root.join("src/functions.rs")).unwrap();
    let mut nr = 0;
    for entry in fs::read_dir(root.join("c/include/usermm")).unwrap() {
        let path = entry.unwrap().path();
        let header = path.file_name().unwrap().to_str().unwrap();
        if LEFT_OUT.iter().any(|(name, _)| *name == header) || !header.ends_with(".h") {
            continue;
        }
        for name in exported(&fs::read_to_string(&path).unwrap()) {
            nr += 1;
            let declared =
                ours.contains(&format!("fn {name}(")) || ours.contains(&format!("static {name}:"));
            let left_out = FUNCTIONS_LEFT_OUT.iter().any(|(other, _)| *other == name);
            assert!(
                declared != left_out,
                "{header}: {name} is {}",
                if declared {
                    "declared, and in FUNCTIONS_LEFT_OUT"
                } else {
                    "not declared in src/functions.rs"
                }
            );
        }
    }
    assert!(nr > 100, "the headers export {nr} functions only");
}
