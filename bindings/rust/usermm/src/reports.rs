// SPDX-License-Identifier: MIT
//! Reports for people and for other programs.

use core::ffi::c_int;

use crate::sys;

/// A report that the library writes to a file, without allocating.
///
/// ```no_run
/// use std::os::fd::AsRawFd;
/// use usermm::Report;
///
/// Report::Slabinfo.write_to(std::io::stdout().as_raw_fd());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Report {
    /// The free blocks of each order, as /proc/buddyinfo.
    Buddyinfo,
    /// The free blocks of each migrate type, as /proc/pagetypeinfo.
    Pagetypeinfo,
    /// The zones, as /proc/zoneinfo.
    Zoneinfo,
    /// The caches, as /proc/slabinfo.
    Slabinfo,
    /// The counters, as /proc/vmstat.
    Vmstat,
    /// The quicklists.
    Quicklists,
    /// A summary.
    Summary,
    /// Who owns each block of pages; needs the option `page_owner=1`.
    PageOwner,
    /// What the option `stats=1` writes at exit.
    Stats,
    /// All counts as JSON, in one line.
    Json,
    /// All counts in Prometheus' text format.
    Prometheus,
}

impl Report {
    /// Writes the report to a file descriptor. Errors are ignored. It may wait for a lock, so
    /// signal handlers must not call it.
    ///
    /// ```
    /// use std::io::Read;
    /// use std::os::fd::AsRawFd;
    /// use std::os::unix::net::UnixStream;
    /// use usermm::Report;
    ///
    /// let (mut reader, writer) = UnixStream::pair()?;
    /// let report = std::thread::spawn(move || {
    ///     let mut text = String::new();
    ///     reader.read_to_string(&mut text).map(|_| text)
    /// });
    /// Report::Json.write_to(writer.as_raw_fd());
    /// drop(writer);
    /// assert!(report.join().unwrap()?.starts_with('{'));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn write_to(self, fd: c_int) {
        // SAFETY: the calls write to the descriptor, whatever it is, and ignore errors.
        unsafe {
            match self {
                Self::Buddyinfo => sys::usermm_print_buddyinfo(fd),
                Self::Pagetypeinfo => sys::usermm_print_pagetypeinfo(fd),
                Self::Zoneinfo => sys::usermm_print_zoneinfo(fd),
                Self::Slabinfo => sys::usermm_print_slabinfo(fd),
                Self::Vmstat => sys::usermm_print_vmstat(fd),
                Self::Quicklists => sys::usermm_print_quicklists(fd),
                Self::Summary => sys::usermm_print_summary(fd),
                Self::PageOwner => sys::usermm_print_page_owner(fd),
                Self::Stats => sys::usermm_print_stats(fd),
                Self::Json => sys::usermm_print_json(fd),
                Self::Prometheus => sys::usermm_print_prometheus(fd),
            }
        }
    }
}
