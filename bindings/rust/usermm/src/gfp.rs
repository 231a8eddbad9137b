// SPDX-License-Identifier: MIT
//! GFP flags.

use core::fmt;
use core::ops::{BitAnd, BitOr, BitOrAssign};

use crate::sys;

/// What a request may do to get memory: wait, reclaim, use reserves, fail.
///
/// Most callers want [`KERNEL`](Self::KERNEL) where they may wait, and [`NOWAIT`](Self::NOWAIT)
/// where they must not.
///
/// ```
/// use usermm::{Gfp, PageBlock};
///
/// let flags = Gfp::NOWAIT | Gfp::NORETRY;
/// assert!(!flags.may_wait());
/// let block = PageBlock::try_zeroed(0, flags)?;
/// # Ok::<(), usermm::PageError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Gfp(sys::gfp_t);

macro_rules! flags {
    ($($(#[doc = $doc:literal])* $name:ident = $value:ident;)*) => {
        impl Gfp {
            $(
                $(#[doc = $doc])*
                ///
                /// ```
                #[doc = concat!("let flags = usermm::Gfp::", stringify!($name), ";")]
                #[doc = concat!("assert_eq!(flags.bits(), usermm::sys::", stringify!($value), ");")]
                /// ```
                pub const $name: Self = Self(sys::$value);
            )*
        }
    };
}

flags! {
    /// May reclaim and wait: the normal choice.
    KERNEL = GFP_KERNEL;
    /// Must not wait. Does not use the reserve; a failure is not reported.
    NOWAIT = GFP_NOWAIT;
    /// Must not wait. May use part of the reserve.
    ATOMIC = GFP_ATOMIC;
    /// May wait, but starts no I/O.
    NOIO = GFP_NOIO;
    /// May wait and start I/O, but calls into no file system.
    NOFS = GFP_NOFS;
    /// For user space.
    USER = GFP_USER;
    /// The memory is zero. Constructed caches refuse it.
    ZERO = __GFP_ZERO;
    /// A failure is not reported on stderr.
    NOWARN = __GFP_NOWARN;
    /// Fails rather than retry.
    NORETRY = __GFP_NORETRY;
    /// Tries hard, but may fail.
    RETRY_MAYFAIL = __GFP_RETRY_MAYFAIL;
    /// Waits for ever instead of failing; only with flags that may wait.
    NOFAIL = __GFP_NOFAIL;
    /// May use part of the reserve.
    HIGH = __GFP_HIGH;
    /// Shrinkers can free the objects.
    RECLAIMABLE = __GFP_RECLAIMABLE;
    /// The pages can be moved or reclaimed.
    MOVABLE = __GFP_MOVABLE;
}

impl Gfp {
    /// Flags by their bits, as in C.
    ///
    /// ```
    /// assert_eq!(usermm::Gfp::from_bits(usermm::sys::GFP_KERNEL), usermm::Gfp::KERNEL);
    /// ```
    pub const fn from_bits(bits: sys::gfp_t) -> Self {
        Self(bits)
    }

    /// The bits, for C.
    ///
    /// ```
    /// assert_eq!(usermm::Gfp::KERNEL.bits(), usermm::sys::GFP_KERNEL);
    /// ```
    pub const fn bits(self) -> sys::gfp_t {
        self.0
    }

    /// These flags and others.
    ///
    /// ```
    /// # use usermm::Gfp;
    /// const FLAGS: Gfp = Gfp::KERNEL.with(Gfp::ZERO);
    /// assert_eq!(FLAGS, Gfp::KERNEL | Gfp::ZERO);
    /// ```
    pub const fn with(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// These flags without others.
    ///
    /// ```
    /// # use usermm::Gfp;
    /// assert_eq!((Gfp::KERNEL | Gfp::ZERO).without(Gfp::ZERO), Gfp::KERNEL);
    /// ```
    pub const fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    /// Are all of these flags set?
    ///
    /// ```
    /// # use usermm::Gfp;
    /// assert!((Gfp::KERNEL | Gfp::ZERO).contains(Gfp::ZERO));
    /// assert!(!Gfp::KERNEL.contains(Gfp::ZERO));
    /// ```
    pub const fn contains(self, others: Self) -> bool {
        self.0 & others.0 == others.0
    }

    /// May a request with these flags wait for memory?
    ///
    /// ```
    /// # use usermm::Gfp;
    /// assert!(Gfp::KERNEL.may_wait());
    /// assert!(!Gfp::ATOMIC.may_wait());
    /// ```
    pub const fn may_wait(self) -> bool {
        self.0 & sys::__GFP_DIRECT_RECLAIM != 0
    }
}

impl Default for Gfp {
    fn default() -> Self {
        Self::KERNEL
    }
}

impl BitOr for Gfp {
    type Output = Self;

    fn bitor(self, others: Self) -> Self {
        self.with(others)
    }
}

impl BitOrAssign for Gfp {
    fn bitor_assign(&mut self, others: Self) {
        *self = self.with(others);
    }
}

impl BitAnd for Gfp {
    type Output = Self;

    fn bitand(self, others: Self) -> Self {
        Self(self.0 & others.0)
    }
}

impl fmt::Debug for Gfp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut left = self.0;
        let mut separator = "Gfp(";
        // A composite before its parts.
        let mut names = [("", 0); sys::GFP_NAMES.len()];
        names.copy_from_slice(sys::GFP_NAMES);
        names.sort_unstable_by_key(|(_, bits)| core::cmp::Reverse(bits.count_ones()));
        for (name, bits) in names {
            if bits != 0 && left & bits == bits {
                write!(f, "{separator}{name}")?;
                separator = " | ";
                left &= !bits;
            }
        }
        if left != 0 || separator == "Gfp(" {
            write!(f, "{separator}{left:#x}")?;
        }
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::Gfp;
    use std::format;

    #[test]
    fn debug_names_composites() {
        assert_eq!(format!("{:?}", Gfp::KERNEL | Gfp::ZERO), "Gfp(GFP_KERNEL | __GFP_ZERO)");
        assert_eq!(format!("{:?}", Gfp::from_bits(0)), "Gfp(0x0)");
        assert_eq!(format!("{:?}", Gfp::from_bits(1 << 31)), "Gfp(0x80000000)");
    }
}
