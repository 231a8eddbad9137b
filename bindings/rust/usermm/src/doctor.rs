// SPDX-License-Identifier: MIT
//! What the library found out about itself and the machine.

use core::ffi::{CStr, c_char};
use core::mem::MaybeUninit;

use crate::sys;

/// What the library found out about itself and the machine, for bug reports.
///
/// ```
/// let doctor = usermm::Doctor::read();
/// assert!(["rseq", "locked"].contains(&doctor.percpu_mode));
/// assert!(doctor.limit_bytes > 0);
/// println!("{doctor:#?}");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Doctor {
    /// "rseq" (restartable sequences) or "locked" (a lock for each CPU).
    pub percpu_mode: &'static str,
    /// Why.
    pub percpu_reason: &'static str,
    /// What numbers the per-CPU slots: "mm_cid", "cpu_id" or "getcpu".
    pub slot_index: &'static str,
    /// Who registered restartable sequences: "libc's", "usermm's own" or "none".
    pub rseq_area: &'static str,
    /// Can one thread empty another CPU's lists?
    pub can_stop: bool,
    /// Per-CPU slots.
    pub nr_slots: u32,
    /// Bytes of the machine's page.
    pub os_page_bytes: usize,
    /// Bytes of RAM and swap.
    pub ram_bytes: usize,
    /// Bytes of pages that may be used: the smallest limit found.
    pub limit_bytes: usize,
    /// Which limit this is.
    pub limit_source: &'static str,
}

impl Doctor {
    /// Asks the library.
    ///
    /// ```
    /// assert!(usermm::Doctor::read().nr_slots >= 1);
    /// ```
    pub fn read() -> Self {
        let mut doctor = MaybeUninit::uninit();
        // SAFETY: the call sets all fields.
        let doctor: sys::usermm_doctor = unsafe {
            sys::usermm_doctor_read(doctor.as_mut_ptr());
            doctor.assume_init()
        };
        Self {
            percpu_mode: text(doctor.percpu_mode),
            percpu_reason: text(doctor.percpu_reason),
            slot_index: text(doctor.slot_index),
            rseq_area: text(doctor.rseq_area),
            can_stop: doctor.can_stop,
            nr_slots: doctor.nr_slots,
            os_page_bytes: doctor.os_page_bytes,
            ram_bytes: doctor.ram_bytes,
            limit_bytes: doctor.limit_bytes,
            limit_source: text(doctor.limit_source),
        }
    }
}

/// A text of the library, which is constant.
fn text(text: *const c_char) -> &'static str {
    if text.is_null() {
        return "";
    }
    // SAFETY: the library's texts are constant, and end with a zero byte.
    unsafe { CStr::from_ptr(text) }.to_str().unwrap_or_default()
}
