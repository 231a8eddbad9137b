// SPDX-License-Identifier: MIT
#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod cache;
mod cache_box;
mod constructed;
mod doctor;
mod error;
mod gfp;
mod global;
mod options;
mod page;
mod page_bulk;
mod quicklist;
mod reclaim;
mod reports;
mod sheaf;
mod shrinker;
mod stats;

pub use cache::{Cache, CacheBuilder};
pub use cache_box::{CacheBox, CacheHandle};
pub use constructed::ConstructedCache;
pub use doctor::Doctor;
pub use error::{
    AllocError, CacheError, NoMemory, ObjectsAlive, OptionsError, OptionsMessage, PageError,
};
pub use gfp::Gfp;
pub use global::UserMm;
pub use options::Options;
pub use page::{MAX_ORDER, PAGE_SIZE, PageBlock, PageByte, order_of};
pub use page_bulk::PageBulk;
pub use quicklist::{Page, PageState, QuickPage, Quicklist, QuicklistStats, Zeroed};
pub use reclaim::{Scope, drain, no_fs, no_io, no_reclaim, pinned, trim};
pub use reports::Report;
pub use sheaf::Sheaf;
pub use shrinker::{Scan, ScanRequest, Shrinker, ShrinkerBuilder, shrink_all};
pub use stats::Stats;
pub use usermm_sys as sys;

/// What the macros of this crate use.
#[doc(hidden)]
pub mod __private {
    pub use crate::options::set_at_start;
}

/// The version of the C library in use.
///
/// ```
/// assert_eq!(usermm::version(), env!("CARGO_PKG_VERSION"));
/// ```
pub fn version() -> &'static str {
    // SAFETY: the function has no conditions. Its text is constant.
    let version = unsafe { core::ffi::CStr::from_ptr(sys::usermm_version()) };
    version.to_str().unwrap_or_default()
}
