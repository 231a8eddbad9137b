// compiles
use std::sync::Arc;
use usermm::{Cache, CacheBox, ConstructedCache, PageBlock, Quicklist, Sheaf, Zeroed};

/// Which types may go to other threads.
pub fn run() {
    fn is_send_and_sync<T: Send + Sync>() {}
    fn is_send<T: Send>() {}

    is_send_and_sync::<Cache<*mut u8>>();
    is_send_and_sync::<ConstructedCache<u32>>();
    is_send_and_sync::<CacheBox<String>>();
    is_send_and_sync::<CacheBox<String, Arc<Cache<String>>>>();
    is_send_and_sync::<PageBlock>();
    is_send_and_sync::<Quicklist<Zeroed>>();
    is_send_and_sync::<usermm::PageBulk>();
    is_send_and_sync::<usermm::Shrinker>();
    is_send::<Sheaf<'static, String>>();
    is_send::<CacheBox<std::cell::Cell<u32>>>();
}

/// Values may borrow.
pub fn borrow<'a>(
    cache: &'a Cache<&'a str>,
    text: &'a str,
) -> CacheBox<&'a str, &'a Cache<&'a str>> {
    cache.alloc(text)
}
