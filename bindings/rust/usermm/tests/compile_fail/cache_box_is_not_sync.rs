// error[E0277]: `Cell<u32>` cannot be shared between threads safely
use std::cell::Cell;
use usermm::Cache;

pub fn run() {
    let cache = Cache::new("cell");
    let value = cache.alloc(Cell::new(1_u32));
    std::thread::scope(|scope| {
        scope.spawn(|| value.set(2));
    });
}
