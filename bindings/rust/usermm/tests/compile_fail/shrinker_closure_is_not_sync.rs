// error[E0277]: `Cell<usize>` cannot be shared between threads safely
use std::cell::Cell;
use usermm::{Scan, Shrinker};

pub fn run() {
    let count = Cell::new(1);
    let _ = Shrinker::register("cell", move || count.get(), |_| Scan::Stop);
}
