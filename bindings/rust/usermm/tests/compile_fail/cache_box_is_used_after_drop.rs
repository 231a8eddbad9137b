// error[E0382]: borrow of moved value: `value`
use usermm::Cache;

pub fn run() {
    let cache = Cache::new("used");
    let value = cache.alloc(1_u32);
    drop(value);
    println!("{}", *value);
}
