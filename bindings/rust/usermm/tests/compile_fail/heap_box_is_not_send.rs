// error[E0277]: `Rc<u32>` cannot be sent between threads safely
use std::rc::Rc;
use usermm::Heap;

pub fn run() {
    let heap = Heap::new("rc");
    let value = heap.boxed(Rc::new(1_u32));
    std::thread::scope(|scope| {
        scope.spawn(move || drop(value));
    });
}
