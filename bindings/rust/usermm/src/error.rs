// SPDX-License-Identifier: MIT
//! Errors, each with a message that says what to do.

use alloc::alloc::handle_alloc_error;
use core::alloc::Layout;
use core::error::Error;
use core::fmt;

use crate::page::MAX_ORDER;

/// There is no memory.
///
/// ```
/// # use std::alloc::Layout;
/// let error = usermm::AllocError::new(Layout::new::<u64>());
/// assert_eq!(error.to_string(), "no memory for 8 bytes aligned to 8");
/// assert_eq!(error.layout(), Layout::new::<u64>());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AllocError {
    layout: Layout,
}

impl AllocError {
    /// An error about a request.
    ///
    /// ```
    /// # use std::alloc::Layout;
    /// let error = usermm::AllocError::new(Layout::new::<u8>());
    /// assert_eq!(error.layout().size(), 1);
    /// ```
    pub const fn new(layout: Layout) -> Self {
        Self { layout }
    }

    /// What was asked for.
    ///
    /// ```
    /// # use std::alloc::Layout;
    /// let error = usermm::AllocError::new(Layout::new::<u16>());
    /// assert_eq!(error.layout().align(), 2);
    /// ```
    pub const fn layout(&self) -> Layout {
        self.layout
    }

    /// Ends the process as a failed `Box::new()` does.
    ///
    /// ```no_run
    /// # let cache = usermm::Cache::<u64>::new("u64");
    /// let number = cache.try_alloc(1).unwrap_or_else(|error| error.error().handle());
    /// ```
    pub fn handle(self) -> ! {
        handle_alloc_error(self.layout)
    }
}

impl fmt::Display for AllocError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no memory for {} bytes aligned to {}", self.layout.size(), self.layout.align())
    }
}

impl Error for AllocError {}

/// There is no memory for a value, which comes back.
///
/// ```
/// # use std::alloc::Layout;
/// # use usermm::{AllocError, NoMemory};
/// let error = NoMemory::new(AllocError::new(Layout::new::<String>()), String::from("kept"));
/// assert_eq!(error.into_value(), "kept");
/// ```
pub struct NoMemory<T> {
    error: AllocError,
    value: T,
}

impl<T> NoMemory<T> {
    /// An error about a value.
    ///
    /// ```
    /// # use std::alloc::Layout;
    /// # use usermm::{AllocError, NoMemory};
    /// let error = NoMemory::new(AllocError::new(Layout::new::<u32>()), 5);
    /// assert_eq!(error.to_string(), "no memory for 4 bytes aligned to 4");
    /// ```
    pub const fn new(error: AllocError, value: T) -> Self {
        Self { error, value }
    }

    /// The value that found no place.
    ///
    /// ```
    /// # use std::alloc::Layout;
    /// # use usermm::{AllocError, NoMemory};
    /// let error = NoMemory::new(AllocError::new(Layout::new::<u32>()), 5);
    /// assert_eq!(error.into_value(), 5);
    /// ```
    pub fn into_value(self) -> T {
        self.value
    }

    /// The error without the value.
    ///
    /// ```
    /// # use std::alloc::Layout;
    /// # use usermm::{AllocError, NoMemory};
    /// let error = NoMemory::new(AllocError::new(Layout::new::<u32>()), 5);
    /// assert_eq!(error.error().layout().size(), 4);
    /// ```
    pub const fn error(&self) -> AllocError {
        self.error
    }
}

impl<T> fmt::Debug for NoMemory<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NoMemory").field("error", &self.error).finish_non_exhaustive()
    }
}

impl<T> fmt::Display for NoMemory<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl<T> Error for NoMemory<T> {}

/// Why a cache was not made.
///
/// ```
/// use usermm::{Cache, CacheError};
///
/// assert_eq!(Cache::<u64>::try_new("").unwrap_err(), CacheError::Name);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CacheError {
    /// The name is empty, has a zero byte, or is longer than 127 bytes.
    Name,
    /// Objects of this size and alignment are too large: 4 MiB is the most.
    TooLarge(Layout),
    /// There is no memory for the cache itself.
    NoMemory,
}

impl fmt::Display for CacheError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name => f.write_str("a cache's name has 1 to 127 bytes, and no zero byte"),
            Self::TooLarge(layout) => write!(
                f,
                "a cache has no objects of {} bytes aligned to {}: 4194304 is the most; \
                 use Box with the allocator UserMm",
                layout.size(),
                layout.align()
            ),
            Self::NoMemory => f.write_str("no memory for a cache"),
        }
    }
}

impl Error for CacheError {}

/// A cache was not destroyed, since objects of it are in use. The cache comes back.
///
/// ```
/// use usermm::{Cache, CacheBox};
///
/// let cache = Cache::<u64>::new("kept");
/// let raw = CacheBox::into_raw(cache.alloc(1));
/// let error = cache.destroy().unwrap_err();
/// assert!(error.to_string().starts_with("the cache has objects in use"));
/// let cache = error.into_cache();
/// // SAFETY: the object came from this cache by into_raw().
/// drop(unsafe { CacheBox::from_raw(raw, &cache) });
/// cache.destroy().unwrap();
/// ```
pub struct ObjectsAlive<C> {
    cache: C,
}

impl<C> ObjectsAlive<C> {
    pub(crate) const fn new(cache: C) -> Self {
        Self { cache }
    }

    /// The cache, as it was.
    ///
    /// ```
    /// # use usermm::{Cache, CacheBox};
    /// # let cache = Cache::<u64>::new("kept");
    /// # let raw = CacheBox::into_raw(cache.alloc(1));
    /// if let Err(error) = cache.destroy() {
    ///     let cache = error.into_cache();
    ///     // ... free the objects, then try again ...
    /// #   drop(unsafe { CacheBox::from_raw(raw, &cache) });
    /// }
    /// ```
    pub fn into_cache(self) -> C {
        self.cache
    }
}

impl<C> fmt::Debug for ObjectsAlive<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObjectsAlive").finish_non_exhaustive()
    }
}

impl<C> fmt::Display for ObjectsAlive<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the cache has objects in use, so it was not destroyed: free them first")
    }
}

impl<C> Error for ObjectsAlive<C> {}

/// Why there is no block of pages.
///
/// ```
/// use usermm::{Gfp, PageBlock, PageError};
///
/// let error = PageBlock::try_zeroed(11, Gfp::KERNEL).unwrap_err();
/// assert_eq!(error, PageError::Order(11));
/// assert_eq!(error.to_string(), "a block of order 11: the highest order is 10, of 4 MiB");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PageError {
    /// The order is above [`MAX_ORDER`].
    Order(u32),
    /// There is no memory.
    NoMemory(AllocError),
}

impl PageError {
    /// Ends the process, or panics if the order is too high.
    #[track_caller]
    pub(crate) fn handle(self) -> ! {
        match self {
            Self::NoMemory(error) => error.handle(),
            Self::Order(_) => panic!("{self}"),
        }
    }
}

impl fmt::Display for PageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Order(order) => {
                write!(f, "a block of order {order}: the highest order is {MAX_ORDER}, of 4 MiB")
            }
            Self::NoMemory(error) => error.fmt(f),
        }
    }
}

impl Error for PageError {}

impl From<AllocError> for PageError {
    fn from(error: AllocError) -> Self {
        Self::NoMemory(error)
    }
}

/// Why options were not set.
///
/// ```
/// use usermm::{Options, OptionsError};
///
/// let error = Options::new().set("no such option", "1").apply().unwrap_err();
/// assert!(matches!(error, OptionsError::Refused(_)));
/// println!("{error}");
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
#[allow(clippy::large_enum_variant, reason = "an allocation would end the time for options")]
pub enum OptionsError {
    /// The text of all options has more than 1023 bytes.
    TooLong,
    /// The library refuses them; its message says which option, and why.
    Refused(OptionsMessage),
}

/// The library's message about options, kept without an allocation.
///
/// ```
/// # use usermm::{Options, OptionsError};
/// if let Err(OptionsError::Refused(message)) = Options::parse("hardened=7").apply() {
///     assert!(message.to_string().contains("hardened"));
/// }
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct OptionsMessage {
    bytes: [u8; Self::BYTES],
    length: usize,
}

impl OptionsMessage {
    const BYTES: usize = 400;

    pub(crate) fn new(text: &[u8]) -> Self {
        let length = text.len().min(Self::BYTES);
        let mut bytes = [0; Self::BYTES];
        bytes[..length].copy_from_slice(&text[..length]);
        Self { bytes, length }
    }
}

impl fmt::Display for OptionsMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.bytes[..self.length].utf8_chunks() {
            f.write_str(chunk.valid())?;
        }
        Ok(())
    }
}

impl fmt::Display for OptionsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => f.write_str("the options have more than 1023 bytes in all"),
            Self::Refused(message) => message.fmt(f),
        }
    }
}

impl fmt::Debug for OptionsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OptionsError({self})")
    }
}

impl Error for OptionsError {}
