// SPDX-License-Identifier: MIT
//! Has each public item an example? rustdoc sees to the docs, but not to the examples of methods.
#![cfg(not(miri))]

use std::fs;
use std::path::Path;

/// Does the line begin a public item, or a function of a public trait?
fn begins_item(line: &str, in_trait: bool) -> bool {
    const KINDS: &[&str] = &["fn ", "struct ", "enum ", "trait ", "const ", "type "];

    let text = line.trim_start();
    let public = text.strip_prefix("pub ");
    let text = match public {
        Some(text) => text,
        None if in_trait => text,
        None => return text.starts_with("macro_rules! options "),
    };
    let text = ["unsafe ", "const ", "extern \"C\" "].iter().fold(text, |text, word| {
        text.strip_prefix(word)
            .filter(|rest| rest.contains("fn ") || rest.starts_with("trait "))
            .unwrap_or(text)
    });
    if in_trait && public.is_none() {
        return text.starts_with("fn ");
    }
    KINDS.iter().any(|kind| text.starts_with(kind))
}

#[test]
fn every_item_has_an_example() {
    let mut items = 0;
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for entry in fs::read_dir(sources).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let (mut docs, mut in_trait) = (String::new(), false);
        for (number, line) in text.lines().enumerate() {
            let start = line.trim_start();
            // What is behind this is private, or a structure inside a function.
            if start.starts_with("mod ") && !start.ends_with(';') || line.contains("#[doc(hidden)]")
            {
                docs.push_str("```");
                continue;
            }
            if line.starts_with('}') {
                in_trait = false;
            }
            if start.starts_with("///") || start.starts_with("#[") || docs.ends_with("[doc") {
                docs.push_str(start);
            } else if begins_item(line, in_trait) {
                items += 1;
                let at = format!("{}:{}", path.display(), number + 1);
                let internal = line.contains("set_at_start") || line.contains("trait Sealed");
                assert!(docs.contains("```") || internal, "{at}: {start} has no example");
                in_trait |= start.starts_with("pub trait") || start.starts_with("pub unsafe trait");
                docs.clear();
            } else if !start.starts_with("stringify!") {
                docs.clear();
            }
        }
    }
    assert!(items > 100, "{items} items were found");
}
