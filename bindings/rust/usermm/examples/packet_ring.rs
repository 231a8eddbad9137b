// SPDX-License-Identifier: MIT
//! A ring of packets between a receiver and a worker, as drivers have it.
//!
//! The receiver fills buffers, which are single pages that it gets by bulk calls, and describes
//! each by a value of a cache. The worker adds up the bytes, and gives the page back by a second
//! ring. So pages go round, and the page allocator is asked only at the start.
//!
//! ```text
//! cargo run --release --example packet_ring
//! ```

use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::thread;

use usermm::{Cache, CacheBox, PageBlock, PageBulk, Stats};

const PACKETS: usize = 100_000;
const RING: usize = 256;
/// How many pages a bulk call gets.
const BULK: usize = 64;

/// A packet, and what the worker needs to know of it.
struct Packet {
    page: PageBlock,
    length: usize,
    number: usize,
}

/// The next page: one that the worker gave back, or one of the stock.
fn next_page(stock: &mut PageBulk, given_back: &Receiver<PageBlock>) -> Option<PageBlock> {
    match given_back.try_recv() {
        Ok(page) => Some(page),
        Err(TryRecvError::Empty | TryRecvError::Disconnected) => {
            if stock.is_empty() {
                stock.refill();
            }
            // Without memory the worker's pages are waited for.
            stock.pop().or_else(|| given_back.recv().ok())
        }
    }
}

fn receive<'c>(
    packets: &'c Cache<Packet>,
    ring: &SyncSender<CacheBox<Packet, &'c Cache<Packet>>>,
    given_back: &Receiver<PageBlock>,
) -> usize {
    let mut stock = PageBulk::zeroed(BULK);
    let mut sent = 0;
    for number in 0..PACKETS {
        let Some(mut page) = next_page(&mut stock, given_back) else { break };
        // A real receiver would have the device write here.
        let length = 60 + number % 1440;
        page[..8].copy_from_slice(&number.to_ne_bytes());
        page[length - 1] = number as u8;
        sent += length;
        let packet = packets.alloc(Packet { page, length, number });
        if ring.send(packet).is_err() {
            break;
        }
    }
    sent
}

fn work(
    ring: &Receiver<CacheBox<Packet, &Cache<Packet>>>,
    give_back: &SyncSender<PageBlock>,
) -> usize {
    let mut received = 0;
    for packet in ring {
        let Packet { page, length, number } = CacheBox::into_inner(packet);
        assert_eq!(page[..8], number.to_ne_bytes());
        assert_eq!(page[length - 1], number as u8);
        received += length;
        // A full ring, or a receiver that has ended: the page is dropped.
        let _ = give_back.try_send(page);
    }
    received
}

fn main() {
    let packets = Cache::builder("packet").hwcache_align().build().expect("a cache of packets");
    let (ring, worker_end) = sync_channel(RING);
    let (give_back, given_back) = sync_channel(RING + BULK);
    let before = Stats::read().page_refills;
    let (sent, received) = thread::scope(|scope| {
        let worker = scope.spawn(move || work(&worker_end, &give_back));
        let sent = receive(&packets, &ring, &given_back);
        drop(ring);
        (sent, worker.join().expect("the worker ends"))
    });
    assert_eq!(sent, received);
    let refills = Stats::read().page_refills - before;
    packets.destroy().expect("no packet is left");
    println!("{PACKETS} packets, {received} bytes; CPUs asked {refills} times for pages");
}
