// SPDX-License-Identifier: MIT
//! What the benchmarks share: the allocators, side by side in one program. None of them is the
//! global one, so each is called in the same way.

use std::alloc::{GlobalAlloc, System};

/// An allocator by its name.
pub struct Peer {
    pub name: &'static str,
    pub allocator: &'static (dyn GlobalAlloc + Sync),
}

pub static PEERS: [Peer; 5] = [
    Peer { name: "usermm", allocator: &usermm::UserMm },
    Peer { name: "libc", allocator: &System },
    Peer { name: "jemalloc", allocator: &tikv_jemallocator::Jemalloc },
    Peer { name: "mimalloc", allocator: &mimalloc::MiMalloc },
    Peer { name: "snmalloc", allocator: &snmalloc_rs::SnMalloc },
];
