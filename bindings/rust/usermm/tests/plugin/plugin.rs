// SPDX-License-Identifier: MIT
//! A plugin (cdylib) whose global allocator is usermm. tests/plugins.rs loads it, calls it, closes
//! it, and loads it again.

use std::collections::HashMap;
use std::ffi::c_int;
use std::sync::Mutex;

use usermm::{Stats, UserMm};

#[global_allocator]
static GLOBAL: UserMm = UserMm;

static WORDS: Mutex<Option<HashMap<String, u64>>> = Mutex::new(None);

/// Counts a word that the plugin makes of the number, and answers how many there are.
#[unsafe(no_mangle)]
pub extern "C" fn plugin_count(number: u64) -> u64 {
    let mut words = WORDS.lock().unwrap();
    let words = words.get_or_insert_with(HashMap::new);
    *words.entry(format!("word {number}")).or_default() += 1;
    words.len() as u64
}

/// Frees all words. 1 if usermm had them.
#[unsafe(no_mangle)]
pub extern "C" fn plugin_clear() -> c_int {
    let in_use = Stats::read().allocated_bytes;
    drop(WORDS.lock().unwrap().take());
    (Stats::read().allocated_bytes < in_use).into()
}
