// error[E0277]: cannot be sent between threads safely
pub fn run() {
    let scope = usermm::no_io();
    std::thread::spawn(move || drop(scope));
}
