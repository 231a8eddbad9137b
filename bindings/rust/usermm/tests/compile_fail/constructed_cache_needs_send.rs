// error[E0277]: `Rc<u32>` cannot be sent between threads safely
use std::rc::Rc;
use usermm::ConstructedCache;

pub fn run() {
    ConstructedCache::new("rc", || Rc::new(1_u32));
}
