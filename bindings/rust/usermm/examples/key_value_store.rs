// SPDX-License-Identifier: MIT
//! A key-value store that gives values back when memory runs short.
//!
//! Entries are values of a cache, and their data are usermm's malloc blocks. A shrinker drops the
//! entries that were used longest ago, so the store keeps within `limit=` without counting bytes.
//! The options are set by the program itself, before anything allocates.
//!
//! ```text
//! cargo run --release --example key_value_store
//! ```

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard};
use std::thread;

use usermm::{Cache, CacheBox, Options, Scan, Shrinker, Stats, UserMm};

#[global_allocator]
static GLOBAL: UserMm = UserMm;

usermm::options!(Options::new().limit(64 << 20));

static ENTRIES: LazyLock<Cache<Entry>> = LazyLock::new(|| Cache::new("entry"));

const KEYS: u64 = 100_000;
const VALUE_BYTES: usize = 1000;

/// A value, and when it was used.
struct Entry {
    data: Box<[u8]>,
    used: u64,
}

/// The store; one lock, for simplicity.
#[derive(Default)]
struct Store {
    entries: HashMap<u64, CacheBox<Entry>>,
    /// Times at which keys were used, oldest first; of a key only the last one counts.
    uses: VecDeque<(u64, u64)>,
    time: u64,
    dropped: usize,
}

impl Store {
    fn get(&mut self, key: u64) -> Option<&[u8]> {
        self.make_room();
        let entry = self.entries.get_mut(&key)?;
        self.time += 1;
        entry.used = self.time;
        self.uses.push_back((self.time, key));
        Some(&entry.data)
    }

    fn put(&mut self, key: u64, mut entry: CacheBox<Entry>) {
        self.make_room();
        self.time += 1;
        entry.used = self.time;
        self.uses.push_back((self.time, key));
        self.entries.insert(key, entry);
    }

    /// Makes room for one more use and entry. The thread holds the lock, so the shrinker could not
    /// help it.
    fn make_room(&mut self) {
        if self.uses.len() > 4 * self.entries.len() + 1000 {
            let entries = &self.entries;
            self.uses.retain(|(time, key)| entries.get(key).is_some_and(|own| own.used == *time));
        }
        while self.uses.try_reserve(1).is_err() || self.entries.try_reserve(1).is_err() {
            assert!(self.shrink(1000) > 0, "the limit is too low for an empty store");
        }
    }

    /// Drops the entries that were used longest ago. Answers how many.
    fn shrink(&mut self, wanted: usize) -> usize {
        let mut nr = 0;
        while nr < wanted {
            let Some((time, key)) = self.uses.pop_front() else { break };
            if self.entries.get(&key).is_some_and(|entry| entry.used == time) {
                self.entries.remove(&key);
                nr += 1;
            }
        }
        self.dropped += nr;
        nr
    }
}

/// A new entry. The shrinker may find the store locked, so the thread asks the store itself, too.
fn new_entry(store: &Mutex<Store>, key: u64) -> CacheBox<Entry> {
    loop {
        let mut data = Vec::new();
        if data.try_reserve_exact(VALUE_BYTES).is_ok() {
            data.resize(VALUE_BYTES, key as u8);
            if let Ok(entry) = ENTRIES.try_alloc(Entry { data: data.into(), used: 0 }) {
                return entry;
            }
        }
        lock(store).shrink(100);
    }
}

fn lock(store: &Mutex<Store>) -> MutexGuard<'_, Store> {
    store.lock().expect("no thread panics")
}

fn main() {
    let store: Arc<Mutex<Store>> = Arc::default();
    // Who asks may hold the lock itself, so neither closure waits for it.
    let (counted, scanned) = (Arc::clone(&store), Arc::clone(&store));
    let _shrinker = Shrinker::register(
        "entries",
        move || counted.try_lock().map_or(0, |store| store.entries.len()),
        move |request| match scanned.try_lock() {
            Ok(mut store) => Scan::Freed(store.shrink(request.objects())),
            Err(_) => Scan::Stop,
        },
    )
    .expect("a shrinker");

    thread::scope(|scope| {
        for thread in 0..2 {
            let store = &store;
            scope.spawn(move || {
                for key in (thread..KEYS).step_by(2) {
                    let entry = new_entry(store, key);
                    let mut store = lock(store);
                    store.put(key, entry);
                    if let Some(data) = store.get(key / 2) {
                        assert!(data.iter().all(|byte| *byte == (key / 2) as u8));
                    }
                }
            });
        }
    });

    let store = lock(&store);
    let stats = Stats::read();
    assert_eq!(store.entries.len() + store.dropped, KEYS as usize);
    assert!(store.dropped > 0, "100 MB of values do not fit into 64 MiB");
    println!(
        "{} entries kept, {} dropped; {} MiB in use",
        store.entries.len(),
        store.dropped,
        stats.allocated_bytes >> 20
    );
}
