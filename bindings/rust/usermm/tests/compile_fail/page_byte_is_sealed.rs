// error[E0277]: the trait bound `u32: PageByte` is not satisfied
use usermm::PageBlock;

pub fn run(block: PageBlock<u32>) {
    drop(block);
}
