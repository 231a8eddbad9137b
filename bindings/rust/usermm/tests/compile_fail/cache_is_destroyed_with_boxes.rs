// error[E0505]: cannot move out of `cache` because it is borrowed
use usermm::Cache;

pub fn run() {
    let cache = Cache::new("early");
    let value = cache.alloc(1_u32);
    cache.destroy().unwrap();
    drop(value);
}
