// SPDX-License-Identifier: MIT
//! Brings the C library: compiled from its sources (feature `bundled`, the default), or an
//! installed one.
//!
//! | variable | meaning |
//! |---|---|
//! | `USERMM_LIB_DIR` | without `bundled`: the folder with libusermm.a or libusermm.so |
//! | `USERMM_DYNAMIC` | without `bundled`: links libusermm.so, although libusermm.a is there |
//! | `CC`, `CFLAGS`, `AR`, with or without `_TARGET` | as for each build script that uses `cc` |
//! | `OBJCOPY` | the program of that name, if it is not beside the compiler |

use std::env;
use std::path::PathBuf;
use std::process::exit;

#[cfg(feature = "bundled")]
#[path = "build/bundled.rs"]
mod bundled;
#[cfg(feature = "bundled")]
#[path = "build/sources.rs"]
mod sources;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    // Miri interprets Rust alone, so src/mock.rs stands for the C library there.
    if is_set("CARGO_CFG_MIRI") || is_set("CARGO_CFG_USERMM_MOCK") {
        return;
    }
    let os = env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    let bits = env::var("CARGO_CFG_TARGET_POINTER_WIDTH").unwrap_or_default();
    if os != "linux" || bits != "64" {
        fail(&format!(
            "usermm needs Linux with 64 bits, and the target {} is something else",
            env::var("TARGET").unwrap_or_default()
        ));
    }
    #[cfg(feature = "bundled")]
    bundled::compile();
    #[cfg(not(feature = "bundled"))]
    link_installed();
}

#[allow(dead_code, reason = "only builds without bundled call it")]
fn link_installed() {
    println!("cargo::rerun-if-env-changed=USERMM_LIB_DIR");
    println!("cargo::rerun-if-env-changed=USERMM_DYNAMIC");
    let mut kind = "dylib";
    if let Some(dir) = env::var_os("USERMM_LIB_DIR").map(PathBuf::from) {
        let archive = dir.join("libusermm.a");
        if archive.exists() && !is_set("USERMM_DYNAMIC") {
            kind = "static";
            println!("cargo::rerun-if-changed={}", archive.display());
        } else if !dir.join("libusermm.so").exists() {
            fail(&format!(
                "USERMM_LIB_DIR={}: there is neither libusermm.a nor libusermm.so; \
                 build usermm first, or use the feature bundled",
                dir.display()
            ));
        }
        println!("cargo::rustc-link-search=native={}", dir.display());
    }
    println!("cargo::rustc-link-lib={kind}=usermm");
}

fn is_set(name: &str) -> bool {
    env::var_os(name).is_some()
}

/// Ends the build with one line that says what to do.
fn fail(message: &str) -> ! {
    println!("cargo::error={message}");
    exit(1)
}
