// error[E0505]: cannot move out of `heap` because it is borrowed
use usermm::Heap;

pub fn run() {
    let heap = Heap::new("short");
    let value = heap.alloc(1_u32);
    drop(heap);
    println!("{value}");
}
