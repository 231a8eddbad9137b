// SPDX-License-Identifier: MIT
//! Controls: what a running process can read and change, by name.

use alloc::string::String;
use core::error::Error;
use core::ffi::{CStr, c_int};
use core::fmt;
use core::mem::MaybeUninit;
use core::ptr::{null, null_mut};

use crate::cache::terminated;
use crate::sys;

/// What a running process can read and change: the limit, how soon memory goes back, the heap
/// profile, each count. Every value is a number; [`list`](Self::list) has all names.
///
/// | name | value |
/// |---|---|
/// | `limit` | bytes of pages that may be in use at once |
/// | `decay_ms` | how long free memory stays before a part of it goes back to the system |
/// | `purge` | written: gives back all free memory but so many bytes |
/// | `profile` | one of malloc's blocks in so many bytes is sampled; 0: none |
/// | `profile_write` | written: writes the heap profile to this file descriptor |
/// | `nr_cpus`, `stats.NAME`, ... | read only |
///
/// ```
/// use usermm::Control;
///
/// assert!(Control::read("nr_cpus")? >= 1);
/// # if cfg!(not(any(miri, usermm_mock))) {
/// Control::write("purge", 0)?;
/// # }
/// # Ok::<(), usermm::ControlError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Control {
    /// The name.
    pub name: String,
    /// What it is.
    pub help: &'static str,
    /// Can it be read?
    pub readable: bool,
    /// Can it be written?
    pub writable: bool,
}

impl Control {
    /// Reads a control. Signal handlers must not call it.
    ///
    /// ```
    /// use usermm::{Control, ControlError};
    ///
    /// assert_eq!(Control::read("no such control"), Err(ControlError::Unknown));
    /// println!("{} per-CPU slots", Control::read("nr_cpus")?);
    /// # Ok::<(), ControlError>(())
    /// ```
    pub fn read(name: &str) -> Result<u64, ControlError> {
        let mut value = 0;
        call(name, &raw mut value, null())?;
        Ok(value)
    }

    /// Writes a control. On an error nothing has changed. Signal handlers must not call it.
    ///
    /// ```
    /// use usermm::{Control, ControlError};
    ///
    /// assert_eq!(Control::write("nr_cpus", 1), Err(ControlError::NotAllowed));
    /// ```
    pub fn write(name: &str, value: u64) -> Result<(), ControlError> {
        call(name, null_mut(), &raw const value)
    }

    /// All controls.
    ///
    /// ```
    /// for control in usermm::Control::list() {
    ///     println!("{}: {}", control.name, control.help);
    /// }
    /// ```
    pub fn list() -> impl Iterator<Item = Self> {
        (0..).map_while(|i| {
            let mut info = MaybeUninit::<sys::usermm_control_info>::uninit();
            // SAFETY: the call sets the row if it answers true. Its texts end with a zero byte, and
            // the help is constant.
            unsafe {
                if !sys::usermm_control_info(i, info.as_mut_ptr()) {
                    return None;
                }
                let info = info.assume_init();
                Some(Self {
                    name: CStr::from_ptr(info.name.as_ptr()).to_string_lossy().into_owned(),
                    help: CStr::from_ptr(info.help).to_str().unwrap_or_default(),
                    readable: info.readable,
                    writable: info.writable,
                })
            }
        })
    }
}

fn call(name: &str, old: *mut u64, new: *const u64) -> Result<(), ControlError> {
    let mut buffer = [0; 128];
    let name = terminated(name, &mut buffer).ok_or(ControlError::Unknown)?;
    // SAFETY: the name ends with a zero byte; the values are null or live during the call.
    match unsafe { sys::usermm_control(name.as_ptr(), old, new) } {
        0 => Ok(()),
        error => Err(ControlError::of(-error)),
    }
}

/// Why a control was not read or written.
///
/// ```
/// use usermm::{Control, ControlError};
///
/// let error = Control::read("no such control").unwrap_err();
/// assert_eq!(error.to_string(), "there is no such control; Control::list() has all");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ControlError {
    /// There is no such control.
    Unknown,
    /// The control cannot be read, or cannot be written.
    NotAllowed,
    /// The new value is out of range.
    Range,
    /// An option at the start prevents it.
    Prevented,
    /// More bytes than the new limit are in use, or there is no memory for tables.
    NoMemory,
    /// Another thread is changing it.
    Busy,
    /// Another errno value, for example of a file that was written to.
    Other(i32),
}

impl ControlError {
    /// The errno values of Linux, on all of its processors.
    const fn of(errno: c_int) -> Self {
        match errno {
            1 => Self::NotAllowed,
            2 => Self::Unknown,
            12 => Self::NoMemory,
            16 => Self::Busy,
            22 => Self::Range,
            95 => Self::Prevented,
            other => Self::Other(other),
        }
    }
}

impl fmt::Display for ControlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unknown => "there is no such control; Control::list() has all",
            Self::NotAllowed => "the control cannot be read, or cannot be written",
            Self::Range => "the new value is out of range",
            Self::Prevented => "an option at the start prevents it",
            Self::NoMemory => "more memory than that is in use, or there is none for tables",
            Self::Busy => "another thread is changing the control",
            Self::Other(errno) => return write!(f, "errno {errno}"),
        })
    }
}

impl Error for ControlError {}
