// SPDX-License-Identifier: MIT
//! Compares constants and structures with the headers, as a C compiler sees them.
#![cfg(not(any(miri, usermm_mock)))]

use std::collections::BTreeMap;
use std::mem::offset_of;
use std::path::PathBuf;
use std::process::Command;

use usermm_sys as sys;

/// What C prints for each expression.
fn ask_c(name: &str, expressions: &[String]) -> BTreeMap<String, u64> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (source, program) = (folder.join(format!("{name}.c")), folder.join(name));
    let mut text =
        String::from("#include <stdio.h>\n#include <usermm/usermm.h>\nint main(void)\n{\n");
    for expression in expressions {
        text += &format!(
            "\tprintf(\"%s=%llu\\n\", \"{expression}\", (unsigned long long)({expression}));\n"
        );
    }
    text += "\treturn 0;\n}\n";
    std::fs::write(&source, text).unwrap();
    let compiler = std::env::var("CC").unwrap_or("cc".into());
    let include = concat!(env!("CARGO_MANIFEST_DIR"), "/c/include");
    let done = Command::new(&compiler)
        .args(["-I", include, "-D_GNU_SOURCE", "-o"])
        .arg(&program)
        .arg(&source)
        .output()
        .unwrap();
    assert!(done.status.success(), "{compiler}: {}", String::from_utf8_lossy(&done.stderr));
    let done = Command::new(&program).output().unwrap();
    String::from_utf8(done.stdout)
        .unwrap()
        .lines()
        .map(|line| line.rsplit_once('=').unwrap())
        .map(|(expression, value)| (expression.into(), value.parse().unwrap()))
        .collect()
}

/// Each pair: the expression in C, and the value here.
fn compare(name: &str, pairs: Vec<(String, u64)>) {
    let expressions: Vec<_> = pairs.iter().map(|(expression, _)| expression.clone()).collect();
    let theirs = ask_c(name, &expressions);
    for (expression, ours) in pairs {
        assert_eq!(theirs[&expression], ours, "{expression} in C, and here");
    }
}

macro_rules! constants {
    ($($name:ident)*) => {
        vec![$((stringify!($name).to_string(), sys::$name as u64)),*]
    };
}

#[test]
fn constants() {
    let mut pairs = constants! {
        SLAB_HWCACHE_ALIGN SLAB_PANIC SLAB_CONSISTENCY_CHECKS SLAB_RED_ZONE SLAB_POISON
        SLAB_STORE_USER SLAB_TRACE SLAB_NO_MERGE SLAB_FAILSLAB PAGE_SIZE MAX_PAGE_ORDER
        KMALLOC_MIN_SIZE KMALLOC_MAX_CACHE_SIZE KMALLOC_MAX_SIZE CONFIG_NR_QUICK SHRINK_STOP
        SHRINK_EMPTY DEFAULT_SEEKS SHRINKER_NUMA_AWARE USERMM_SHRINKER_NAME_BYTES
    };
    pairs.extend(sys::GFP_NAMES.iter().map(|(name, value)| (name.to_string(), u64::from(*value))));
    compare("constants", pairs);
}

macro_rules! structures {
    ($($name:ident { $($field:ident)* })*) => {
        vec![$(
            (concat!("sizeof(struct ", stringify!($name), ")").to_string(),
             size_of::<sys::$name>() as u64),
            (concat!("_Alignof(struct ", stringify!($name), ")").to_string(),
             align_of::<sys::$name>() as u64),
            $((concat!("offsetof(struct ", stringify!($name), ", ", stringify!($field), ")")
                .to_string(), offset_of!(sys::$name, $field) as u64),)*
        )*]
    };
}

#[test]
fn structures() {
    let mut pairs = structures! {
        list_head { next prev }
        page { flags lru private index mapping }
        usermm_memmap { pages slab_caches base }
        quicklist_state { ctor dtor check }
        quicklist_stats { pages misses returned trimmed hits ctors dtors }
        shrink_control { gfp_mask nid nr_to_scan nr_scanned memcg }
        shrinker { count_objects scan_objects batch seeks flags private_data }
        usermm_stats { }
        usermm_doctor { percpu_mode percpu_reason slot_index rseq_area can_stop nr_slots
            os_page_bytes ram_bytes limit_bytes limit_source }
        usermm_option_info { name range stability help default_value current_value }
    };
    // Each field is a size_t, in the order of the header.
    let fields = sys::usermm_stats::default().fields().enumerate();
    pairs.extend(fields.map(|(i, (name, _))| {
        (format!("offsetof(struct usermm_stats, {name})"), (i * size_of::<usize>()) as u64)
    }));
    compare("structures", pairs);
}
