// error[E0597]: `cache` does not live long enough
use usermm::Cache;

pub fn run() {
    let value;
    {
        let cache = Cache::new("short");
        value = cache.alloc(1_u32);
    }
    drop(value);
}
