// error[E0277]: `Rc<u32>` cannot be sent between threads safely
use std::rc::Rc;
use usermm::Cache;

pub fn run() {
    let cache = Cache::new("rc");
    let value = cache.alloc(Rc::new(1_u32));
    std::thread::scope(|scope| {
        scope.spawn(move || drop(value));
    });
}
