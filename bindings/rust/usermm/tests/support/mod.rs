// SPDX-License-Identifier: MIT
//! Compiles further sources against the crate that the test itself is linked with.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::SystemTime;

/// The folder with this test and the libraries that cargo made.
fn deps() -> PathBuf {
    std::env::current_exe().unwrap().parent().unwrap().to_path_buf()
}

/// The crate as cargo made it last: other features, or older sources, leave others beside it.
fn newest_crate(deps: &Path) -> PathBuf {
    std::fs::read_dir(deps)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            let name = path.file_name().unwrap().to_string_lossy();
            name.starts_with("libusermm-") && name.ends_with(".rlib")
        })
        .max_by_key(|path| {
            path.metadata().and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
        })
        .expect("cargo made libusermm-*.rlib before the test")
}

/// Compiles a source that uses the crate. Nothing is inherited from cargo but the folder.
pub fn rustc(source: &Path, out: &Path, crate_type: &str, emit: &str) -> Output {
    let deps = deps();
    let mut command = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()));
    command
        .args(["--edition", "2024", "--cap-lints", "allow", "--crate-type", crate_type])
        .arg(format!("--emit={emit}"))
        .arg("--extern")
        .arg(format!("usermm={}", newest_crate(&deps).display()))
        .arg("-L")
        .arg(format!("dependency={}", deps.display()))
        .arg("-o")
        .arg(out)
        .arg(source);
    if let Some(folder) = std::env::var_os("USERMM_LIB_DIR") {
        command.arg("-L").arg(folder);
    }
    if cfg!(usermm_mock) {
        command.args(["--cfg", "usermm_mock"]);
    }
    command.output().unwrap()
}

/// A file of a test, in tests/.
pub fn test_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

/// A file that a test makes.
pub fn made_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}
