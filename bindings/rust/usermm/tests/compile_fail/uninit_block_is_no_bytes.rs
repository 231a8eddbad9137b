// error[E0308]: mismatched types
use usermm::PageBlock;

pub fn run() {
    let block = PageBlock::uninit(0);
    let byte: u8 = block[0];
    println!("{byte}");
}
