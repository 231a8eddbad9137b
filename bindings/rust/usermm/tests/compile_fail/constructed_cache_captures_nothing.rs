// error[E0080]: the closure of a constructed cache captures nothing
use usermm::ConstructedCache;

pub fn run() {
    let seed = std::process::id();
    ConstructedCache::new("seeded", move || seed);
}
