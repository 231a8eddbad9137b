// error[E0435]: attempt to use a non-constant value in a constant
pub fn run(limit: u64) {
    usermm::options!(usermm::Options::new().limit(limit));
}
