// error[E0505]: cannot move out of `value` because it is borrowed
use usermm::Cache;

pub fn run() {
    let cache = Cache::new("used");
    let value = cache.alloc(1_u32);
    let inner: &u32 = &value;
    drop(value);
    println!("{inner}");
}
