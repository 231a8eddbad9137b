// error[E0277]: `Rc<Cache<u32>>` cannot be sent between threads safely
use std::rc::Rc;
use usermm::{Cache, CacheBox};

pub fn run() {
    let value = CacheBox::new_in(1_u32, Rc::new(Cache::new("rc")));
    std::thread::spawn(move || drop(value));
}
