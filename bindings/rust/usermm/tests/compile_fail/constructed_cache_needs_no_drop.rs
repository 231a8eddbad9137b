// error[E0080]: values of a constructed cache are never dropped
use usermm::ConstructedCache;

pub fn run() {
    ConstructedCache::new("string", String::new);
}
