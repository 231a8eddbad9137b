// error[E0277]: `Rc<u32>` cannot be sent between threads safely
use std::rc::Rc;
use usermm::{Scan, Shrinker};

pub fn run() {
    let count = Rc::new(1_u32);
    let _ = Shrinker::register("rc", move || *count as usize, |_| Scan::Stop);
}
