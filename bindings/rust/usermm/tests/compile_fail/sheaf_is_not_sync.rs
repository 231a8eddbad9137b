// error[E0277]: cannot be shared between threads safely
use usermm::Cache;

pub fn run() {
    let cache = Cache::<u32>::new("sheaf");
    let sheaf = cache.prefill(1).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| sheaf.len());
    });
}
