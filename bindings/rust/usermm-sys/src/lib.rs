// SPDX-License-Identifier: MIT
#![doc = include_str!("../README.md")]
#![no_std]
#![allow(clippy::missing_safety_doc, reason = "the headers in c/include/usermm have the contracts")]

#[cfg(any(miri, usermm_mock))]
extern crate std;

mod gfp;
mod types;

pub use gfp::*;
pub use types::*;

#[cfg(not(any(miri, usermm_mock)))]
mod functions;
#[cfg(not(any(miri, usermm_mock)))]
pub use functions::*;

/// Stands for the C library under Miri, which interprets Rust alone.
#[cfg(any(miri, usermm_mock))]
mod mock;
#[cfg(any(miri, usermm_mock))]
pub use mock::*;
