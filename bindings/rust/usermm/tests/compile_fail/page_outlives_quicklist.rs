// error[E0597]: `list` does not live long enough
use usermm::{Quicklist, Zeroed};

pub fn run() {
    let page;
    {
        let list = Quicklist::<Zeroed>::new(c"short");
        page = list.get();
    }
    drop(page);
}
