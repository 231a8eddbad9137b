// SPDX-License-Identifier: MIT
//! What must not compile does not, for the reason that its first line gives:
//!
//! ```text
//! // error[CODE]: a part of the message
//! // compiles
//! ```
#![cfg(not(any(miri, usermm_mock)))]

use std::fs;
use std::thread;

mod support;

#[test]
fn mistakes_do_not_compile() {
    let folder = support::test_file("compile_fail");
    let sources: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(sources.len() > 15);
    // Two at a time: a compiler is waited for most of the time.
    for pair in sources.chunks(2) {
        thread::scope(|scope| {
            for source in pair {
                scope.spawn(move || check(source));
            }
        });
    }
}

fn check(source: &std::path::Path) {
    let text = fs::read_to_string(source).unwrap();
    let expected = text.lines().next().unwrap().strip_prefix("// ").unwrap();
    let name = source.file_stem().unwrap().to_str().unwrap();
    let out = support::made_file(&format!("{name}.rmeta"));
    // A generic function is only looked at as a whole where code is made of it.
    let emit = if text.contains("E0080") { "obj" } else { "metadata" };
    let done = support::rustc(source, &out, "lib", emit);
    let said = String::from_utf8_lossy(&done.stderr);
    if expected == "compiles" {
        assert!(done.status.success(), "{name}: {said}");
        return;
    }
    let (code, message) = expected.split_once(": ").unwrap();
    assert!(!done.status.success(), "{name} compiles");
    assert!(said.contains(code) && said.contains(message), "{name}: not {expected}, but {said}");
    let errors = said.lines().filter(|line| line.starts_with("error[")).count();
    let codes = said.lines().filter(|line| line.starts_with(code)).count();
    assert_eq!(errors, codes, "{name} has other errors: {said}");
}
