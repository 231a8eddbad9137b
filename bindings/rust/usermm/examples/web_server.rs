// SPDX-License-Identifier: MIT
//! A web server that takes each request's memory from an arena of pages.
//!
//! A request allocates by moving a pointer, and its end frees everything by one call for each
//! block. Connections are values of a cache. Without arguments the server listens on a free port of
//! 127.0.0.1, is its own client for a few hundred requests, and ends.
//!
//! ```text
//! cargo run --example web_server
//! cargo run --example web_server -- 127.0.0.1:8080
//! ```

use std::cell::{Cell, RefCell};
use std::io::{BufRead, BufReader, Read, Write};
use std::mem::MaybeUninit;
use std::net::{TcpListener, TcpStream};
use std::sync::LazyLock;
use std::{env, io, slice, str, thread};

use usermm::{Cache, CacheBox, Gfp, MAX_ORDER, PageBlock, PageError, UserMm, order_of};

#[global_allocator]
static GLOBAL: UserMm = UserMm;

static CONNECTIONS: LazyLock<Cache<Connection>> = LazyLock::new(|| Cache::new("connection"));

const OWN_CLIENTS: usize = 4;
const OWN_REQUESTS: usize = 100;

/// Memory for one request: texts and bytes that live until the arena is dropped or reset.
struct Arena {
    blocks: RefCell<Vec<PageBlock<MaybeUninit<u8>>>>,
    /// The bytes in use of the last block.
    used: Cell<usize>,
}

impl Arena {
    /// The first block has 16 KiB.
    const ORDER: u32 = 2;

    fn new() -> Self {
        Self { blocks: RefCell::default(), used: Cell::new(0) }
    }

    /// Copies the bytes into the arena.
    fn copy<'a>(&'a self, bytes: &[u8]) -> Result<&'a [u8], PageError> {
        let mut blocks = self.blocks.borrow_mut();
        let free = blocks.last().map_or(0, |block| block.len() - self.used.get());
        if bytes.len() > free {
            let order = order_of(bytes.len()).max(Self::ORDER + blocks.len().min(8) as u32);
            blocks.push(PageBlock::try_uninit(order.min(MAX_ORDER.max(order)), Gfp::KERNEL)?);
            self.used.set(0);
        }
        let Some(block) = blocks.last_mut() else { return Ok(&[]) };
        let start = self.used.get();
        let place = &mut block[start..start + bytes.len()];
        for (to, from) in place.iter_mut().zip(bytes) {
            to.write(*from);
        }
        self.used.set(start + bytes.len());
        // SAFETY: the bytes were written. Nobody writes to them again before reset(), which borrows
        // the arena alone; a block does not move when the list of blocks grows.
        Ok(unsafe { slice::from_raw_parts(place.as_ptr().cast(), bytes.len()) })
    }

    /// Copies the text into the arena.
    fn text<'a>(&'a self, text: &str) -> Result<&'a str, PageError> {
        // SAFETY: they are the bytes of a text.
        Ok(unsafe { str::from_utf8_unchecked(self.copy(text.as_bytes())?) })
    }

    /// Forgets all that is in the arena, and keeps the first block for the next request.
    fn reset(&mut self) {
        self.blocks.get_mut().truncate(1);
        self.used.set(0);
    }
}

/// A client's connection, with the arena of its current request.
struct Connection {
    reader: BufReader<TcpStream>,
    arena: Arena,
    served: usize,
}

/// A request, whose texts are in the arena.
struct Request<'a> {
    path: &'a str,
    headers: Vec<(&'a str, &'a str)>,
}

impl Connection {
    /// Reads a request; None at the end of the connection.
    fn read<'a>(
        reader: &mut BufReader<TcpStream>,
        arena: &'a Arena,
    ) -> io::Result<Option<Request<'a>>> {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let path = line.split(' ').nth(1).unwrap_or("/");
        let path = arena.text(path).map_err(io::Error::other)?;
        let mut headers = Vec::new();
        loop {
            line.clear();
            reader.by_ref().take(8192).read_line(&mut line)?;
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            let name = arena.text(name).map_err(io::Error::other)?;
            let value = arena.text(value.trim()).map_err(io::Error::other)?;
            headers.push((name, value));
        }
        Ok(Some(Request { path, headers }))
    }

    /// Serves requests until the client closes.
    fn serve(&mut self) -> io::Result<()> {
        loop {
            self.arena.reset();
            let Some(request) = Self::read(&mut self.reader, &self.arena)? else { return Ok(()) };
            let host = request.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("host"));
            let body = format!("{} of {}\n", request.path, host.map_or("?", |(_, value)| value));
            write!(
                self.reader.get_mut(),
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            )?;
            self.served += 1;
        }
    }
}

/// Serves connections, each in a thread; at most so many of them. Answers the number of requests.
fn serve(listener: &TcpListener, connections: usize) -> usize {
    let mut threads = Vec::new();
    for stream in listener.incoming().take(connections).flatten() {
        let reader = BufReader::new(stream);
        let connection = Connection { reader, arena: Arena::new(), served: 0 };
        let mut connection: CacheBox<Connection> = match CONNECTIONS.try_alloc(connection) {
            Ok(connection) => connection,
            Err(error) => {
                eprintln!("a connection is refused: {error}");
                continue;
            }
        };
        threads.push(thread::spawn(move || {
            if let Err(error) = connection.serve() {
                eprintln!("a connection ends: {error}");
            }
            connection.served
        }));
    }
    threads.into_iter().map(|thread| thread.join().unwrap_or(0)).sum()
}

/// Sends requests over one connection.
fn client(address: &str) -> io::Result<()> {
    let mut reader = BufReader::new(TcpStream::connect(address)?);
    for i in 0..OWN_REQUESTS {
        write!(reader.get_mut(), "GET /page/{i} HTTP/1.1\r\nHost: {address}\r\n\r\n")?;
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            if let Some(text) = line.strip_prefix("Content-Length: ") {
                length = text.trim_end().parse().map_err(io::Error::other)?;
            }
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        assert_eq!(body, format!("/page/{i} of {address}\n").as_bytes());
    }
    Ok(())
}

fn main() -> io::Result<()> {
    if let Some(address) = env::args().nth(1) {
        serve(&TcpListener::bind(address)?, usize::MAX);
        return Ok(());
    }
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?.to_string();
    let served = thread::scope(|scope| {
        for _ in 0..OWN_CLIENTS {
            scope.spawn(|| client(&address).expect("the server answers"));
        }
        serve(&listener, OWN_CLIENTS)
    });
    assert_eq!(served, OWN_CLIENTS * OWN_REQUESTS);
    assert!(CONNECTIONS.shrink(), "all connections were freed");
    println!("{served} requests served");
    Ok(())
}
