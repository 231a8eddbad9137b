// error[E0373]: closure may outlive the current function
use usermm::{Scan, Shrinker};

pub fn run() {
    let count = 1;
    let _ = Shrinker::register("borrow", || *&count, |_| Scan::Stop);
}
