/* SPDX-License-Identifier: MIT */
/*
 * usermm for C++20: header-only, on the C API.
 *
 *	memory_resource		std::pmr::memory_resource over malloc's size classes
 *	cache_resource		one over a cache of equal objects, for nodes of containers
 *	monotonic_resource	one over page blocks, which are freed together
 *	heap			a heap (usermm/heap.h), and a memory resource
 *	allocator<T>		an allocator for containers
 *	cache<T>		a cache of objects of one type
 *	unique_page_block	owns a block of pages
 *
 * Sizes and alignments. Any size; any alignment that is a power of two. What a cache or a page
 * block cannot serve comes from usermm_malloc() or from the resource upstream.
 *
 * Failure. As in the standard library: where there is no memory, std::get_new_handler() is called,
 * and without one std::bad_alloc is thrown. Names that begin with try_ return an empty value
 * instead, and do not call the handler. With -fno-exceptions the program prints one line in place
 * of the exception, and ends by std::abort().
 *
 * Threads. memory_resource, cache_resource, heap, allocator<T> and cache<T> may be used by several
 * threads at once. A monotonic_resource and a unique_page_block belong to one thread at a time.
 *
 * The header works with -fno-exceptions and with -fno-rtti.
 */
#ifndef USERMM_USERMM_HPP
#define USERMM_USERMM_HPP

#if __cplusplus < 202002L
#error "usermm/usermm.hpp needs C++20: compile with -std=c++20"
#endif

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <memory_resource>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "usermm.h"

namespace usermm {

/* --- Out of memory ------------------------------------------------------------------------ */

namespace detail {

[[noreturn]] inline void throw_bad_alloc()
{
#ifdef __cpp_exceptions
	throw std::bad_alloc();
#else
	std::fputs("usermm: out of memory, and the program is built without exceptions\n", stderr);
	std::abort();
#endif
}

[[noreturn]] inline void throw_bad_array_new_length()
{
#ifdef __cpp_exceptions
	throw std::bad_array_new_length();
#else
	throw_bad_alloc();
#endif
}

/*
 * Repeats try_once() while it returns a null value and there is a new handler, which it calls. It is
 * not inlined, so a caller whose first try succeeds keeps few registers for it.
 */
template <typename Function> [[gnu::noinline, gnu::cold]] auto or_throw(Function try_once)
{
	for (;;) {
		if (auto result = try_once())
			return result;
		if (std::new_handler handler = std::get_new_handler())
			handler();
		else
			throw_bad_alloc();
	}
}

inline void *allocate(std::size_t bytes, std::size_t align)
{
	if (align > USERMM_ALIGN_MIN)
		return or_throw([=] { return usermm_aligned_alloc(align, bytes); });
	if (void *block = usermm_malloc(bytes)) [[likely]]
		return block;
	return or_throw([=] { return usermm_malloc(bytes); });
}

inline void deallocate(void *block, std::size_t bytes, std::size_t align) noexcept
{
	if (align <= USERMM_ALIGN_MIN)
		usermm_free_sized(block, bytes);
	else
		usermm_free_aligned_sized(block, align, bytes);
}

/*
 * A bad name or flag is bad at every try, and a new handler might never give up. kmem_cache_create()
 * says what is wrong.
 */
inline kmem_cache *create_cache(const char *name, std::size_t bytes, std::size_t align,
				slab_flags_t flags)
{
	auto try_once = [=] {
		return kmem_cache_create(name, static_cast<unsigned>(bytes),
					 static_cast<unsigned>(align), flags | SLAB_NO_MERGE,
					 nullptr);
	};

	if (kmem_cache *cache = try_once())
		return cache;
	if (!name || !*name || (flags & ~USERMM_SLAB_FLAGS))
		throw_bad_alloc();
	return or_throw(try_once);
}

} // namespace detail

/* --- Memory resources ------------------------------------------------------------------------ */

/*
 * malloc's size classes, pages and mappings. Any two objects of this class compare equal; with
 * -fno-rtti an object is equal only to itself.
 */
class memory_resource : public std::pmr::memory_resource {
      private:
	void *do_allocate(std::size_t bytes, std::size_t align) override
	{
		return detail::allocate(bytes, align);
	}

	void do_deallocate(void *block, std::size_t bytes, std::size_t align) override
	{
		detail::deallocate(block, bytes, align);
	}

	bool do_is_equal(const std::pmr::memory_resource &other) const noexcept override
	{
#ifdef __cpp_rtti
		return dynamic_cast<const memory_resource *>(&other);
#else
		return this == &other;
#endif
	}
};

/* A memory_resource that lives as long as the program, destructors of static objects included. */
inline memory_resource *default_resource() noexcept
{
	alignas(memory_resource) static unsigned char storage[sizeof(memory_resource)];
	static memory_resource *resource = ::new (storage) memory_resource;

	return resource;
}

/*
 * A cache of equal objects. It serves requests of up to object_bytes and of the cache's alignment;
 * all others go to the resource upstream, whose blocks the user must deallocate. Choose
 * object_bytes as large as the nodes of the containers that use the resource. More than 4 MiB, an
 * alignment that is no power of two, or no name: std::bad_alloc.
 *
 * Its destructor frees all objects of the cache, also those in use, without running destructors.
 */
class cache_resource : public std::pmr::memory_resource {
      public:
	explicit cache_resource(std::size_t object_bytes,
				std::size_t align = alignof(std::max_align_t),
				const char *name = "cache_resource",
				std::pmr::memory_resource *upstream = default_resource())
		: bytes_(std::max<std::size_t>(object_bytes, KMALLOC_MIN_SIZE)), align_(align),
		  upstream_(upstream)
	{
		/* No new handler can help here. */
		if (bytes_ > KMALLOC_MAX_SIZE || align > KMALLOC_MAX_SIZE || !std::has_single_bit(align))
			detail::throw_bad_alloc();
		cache_ = detail::create_cache(name, bytes_, align, 0);
	}

	cache_resource(const cache_resource &) = delete;
	cache_resource &operator=(const cache_resource &) = delete;

	~cache_resource() override
	{
		usermm_kmem_cache_destroy_all(cache_);
	}

	std::size_t object_bytes() const noexcept
	{
		return bytes_;
	}

	std::pmr::memory_resource *upstream_resource() const noexcept
	{
		return upstream_;
	}

	kmem_cache *handle() const noexcept
	{
		return cache_;
	}

      private:
	bool fits(std::size_t bytes, std::size_t align) const noexcept
	{
		return bytes <= bytes_ && align <= align_;
	}

	void *do_allocate(std::size_t bytes, std::size_t align) override
	{
		if (!fits(bytes, align)) [[unlikely]]
			return upstream_->allocate(bytes, align);
		if (void *object = kmem_cache_alloc(cache_, GFP_KERNEL)) [[likely]]
			return object;
		return detail::or_throw([this] { return kmem_cache_alloc(cache_, GFP_KERNEL); });
	}

	void do_deallocate(void *block, std::size_t bytes, std::size_t align) override
	{
		if (fits(bytes, align)) [[likely]]
			kmem_cache_free(cache_, block);
		else
			upstream_->deallocate(block, bytes, align);
	}

	bool do_is_equal(const std::pmr::memory_resource &other) const noexcept override
	{
		return this == &other;
	}

	std::size_t bytes_, align_;
	std::pmr::memory_resource *upstream_;
	kmem_cache *cache_;
};

/*
 * Cuts blocks off growing runs of pages, and frees them all together: in release(), or in the
 * destructor. deallocate() does nothing.
 */
class monotonic_resource : public std::pmr::memory_resource {
      public:
	/* The first run of pages has room for at least initial_bytes. */
	explicit monotonic_resource(std::size_t initial_bytes = PAGE_SIZE) noexcept
		: next_bytes_(std::clamp<std::size_t>(initial_bytes, PAGE_SIZE, largest_bytes))
	{
	}

	monotonic_resource(const monotonic_resource &) = delete;
	monotonic_resource &operator=(const monotonic_resource &) = delete;

	~monotonic_resource() override
	{
		release();
	}

	/* Frees everything that was allocated. */
	void release() noexcept
	{
		while (runs_) {
			run *old = runs_;

			runs_ = old->next;
			if (old->order == mapped)
				usermm_free(old);
			else
				free_pages(reinterpret_cast<unsigned long>(old), old->order);
		}
		current_ = nullptr;
		left_ = 0;
	}

      private:
	/* The head of each run. */
	struct alignas(USERMM_ALIGN_MIN) run {
		run *next;
		unsigned int order;	/* of its pages, or mapped */
	};

	/* A block of usermm_malloc(), for more than the largest block of pages. */
	static constexpr unsigned int mapped = ~0u;
	static constexpr std::size_t largest_bytes = PAGE_SIZE << MAX_PAGE_ORDER;
	static constexpr std::size_t bytes_max = std::numeric_limits<std::ptrdiff_t>::max();

	/* A run with room for bytes behind its head; sets bytes to all of its bytes. */
	static run *try_new_run(std::size_t &bytes) noexcept
	{
		unsigned int order = mapped;
		void *memory = nullptr;

		if (bytes <= largest_bytes) {
			constexpr gfp_t gfp = GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN;

			order = static_cast<unsigned int>(get_order(bytes));
			memory = reinterpret_cast<void *>(__get_free_pages(gfp, order));
		}
		if (!memory) {
			order = mapped;
			memory = usermm_malloc(bytes);
		}
		if (!memory)
			return nullptr;
		bytes = order == mapped ? bytes : PAGE_SIZE << order;
		return ::new (memory) run{ nullptr, order };
	}

	/* Makes a run that is large enough the current one. */
	void grow(std::size_t bytes, std::size_t align)
	{
		std::size_t wanted = sizeof(run) + align;

		if (bytes > bytes_max - wanted)
			detail::throw_bad_alloc();
		wanted = std::max(wanted + bytes, next_bytes_);
		std::size_t got = wanted;
		run *added = detail::or_throw([&] { return try_new_run(got = wanted); });
		added->next = runs_;
		runs_ = added;
		current_ = added + 1;
		left_ = got - sizeof(run);
		next_bytes_ = std::min(2 * std::min(got, largest_bytes), largest_bytes);
	}

	void *do_allocate(std::size_t bytes, std::size_t align) override
	{
		bytes = std::max<std::size_t>(bytes, 1);
		if (!std::align(align, bytes, current_, left_)) {
			grow(bytes, align);
			std::align(align, bytes, current_, left_);
		}
		void *block = current_;
		current_ = static_cast<unsigned char *>(current_) + bytes;
		left_ -= bytes;
		return block;
	}

	void do_deallocate(void *, std::size_t, std::size_t) override
	{
	}

	bool do_is_equal(const std::pmr::memory_resource &other) const noexcept override
	{
		return this == &other;
	}

	run *runs_ = nullptr;
	void *current_ = nullptr;	/* the rest of the newest run */
	std::size_t left_ = 0;
	std::size_t next_bytes_;
};

/*
 * A heap of its own, whose blocks are all freed by its destructor, without running destructors. It
 * is a memory resource as well.
 */
class heap : public std::pmr::memory_resource {
      public:
	explicit heap(const char *name = nullptr)
		: heap_(detail::or_throw([=] { return usermm_heap_create(name); }))
	{
	}

	heap(const heap &) = delete;
	heap &operator=(const heap &) = delete;

	~heap() override
	{
		usermm_heap_destroy(heap_);
	}

	/* A null pointer without memory. The block has the alignment of std::max_align_t. */
	[[nodiscard]] void *try_alloc(std::size_t bytes) noexcept
	{
		return usermm_heap_alloc(heap_, bytes);
	}

	[[nodiscard]] void *alloc(std::size_t bytes)
	{
		return do_allocate(bytes, USERMM_ALIGN_MIN);
	}

	void free(void *block) noexcept
	{
		usermm_heap_free(heap_, block);
	}

	usermm_heap_stats stats() const noexcept
	{
		usermm_heap_stats stats;

		usermm_heap_stats_read(heap_, &stats);
		return stats;
	}

	usermm_heap *handle() const noexcept
	{
		return heap_;
	}

      private:
	/* Not inlined, because do_allocate() would keep registers for it. */
	[[gnu::noinline]] void *allocate_aligned(std::size_t bytes, std::size_t align)
	{
		return detail::or_throw([=, this] {
			return usermm_heap_aligned_alloc(heap_, align, bytes);
		});
	}

	void *do_allocate(std::size_t bytes, std::size_t align) override
	{
		if (align > USERMM_ALIGN_MIN)
			return allocate_aligned(bytes, align);
		if (void *block = usermm_heap_alloc(heap_, bytes)) [[likely]]
			return block;
		return detail::or_throw([=, this] { return usermm_heap_alloc(heap_, bytes); });
	}

	void do_deallocate(void *block, std::size_t, std::size_t) override
	{
		usermm_heap_free(heap_, block);
	}

	bool do_is_equal(const std::pmr::memory_resource &other) const noexcept override
	{
		return this == &other;
	}

	usermm_heap *heap_;
};

/* --- Allocator ------------------------------------------------------------------------------ */

/* An allocator for containers, without state. If n is too large: std::bad_array_new_length. */
template <typename T> class allocator {
      public:
	using value_type = T;
	using size_type = std::size_t;
	using difference_type = std::ptrdiff_t;
	using propagate_on_container_move_assignment = std::true_type;
	using is_always_equal = std::true_type;

	constexpr allocator() noexcept = default;
	template <typename U> constexpr allocator(const allocator<U> &) noexcept
	{
	}

	[[nodiscard]] T *allocate(std::size_t n)
	{
		if (n > bytes_max / sizeof(T))
			detail::throw_bad_array_new_length();
		return static_cast<T *>(detail::allocate(n * sizeof(T), alignof(T)));
	}

#ifdef __cpp_lib_allocate_at_least
	/* All of the block that allocate(n) would return; a container may use it. */
	[[nodiscard]] std::allocation_result<T *> allocate_at_least(std::size_t n)
	{
		T *block = allocate(n);

		return { block, std::max(n, usermm_usable_size(block) / sizeof(T)) };
	}
#endif

	void deallocate(T *block, std::size_t n) noexcept
	{
		detail::deallocate(block, n * sizeof(T), alignof(T));
	}

	template <typename U> friend constexpr bool operator==(allocator, allocator<U>) noexcept
	{
		return true;
	}

      private:
	static constexpr std::size_t bytes_max = std::numeric_limits<std::ptrdiff_t>::max();
};

/* --- Caches of one type --------------------------------------------------------------------- */

/*
 * A cache of objects of type T. create() constructs an object in it, and destroy() destructs it and
 * gives its memory back; make() returns an owning pointer.
 *
 * Every object must have been destroyed before the cache is: objects that remain are reported, and
 * their memory is kept. clear_and_destroy() frees those of a type without a destructor.
 */
template <typename T> class cache {
	static_assert(sizeof(T) <= KMALLOC_MAX_SIZE && alignof(T) <= KMALLOC_MAX_SIZE,
		      "objects of a cache have at most 4 MiB");

      public:
	struct deleter {
		cache *owner;

		void operator()(T *object) const noexcept
		{
			owner->destroy(object);
		}
	};
	using pointer = std::unique_ptr<T, deleter>;

	/* flags: some of USERMM_SLAB_FLAGS. No name, or other flags: std::bad_alloc. */
	explicit cache(const char *name, slab_flags_t flags = 0)
		: cache_(detail::create_cache(name, object_bytes, alignof(T), flags))
	{
	}

	cache(const cache &) = delete;
	cache &operator=(const cache &) = delete;

	~cache()
	{
		kmem_cache_destroy(cache_);
	}

	/* A new object. May wait for memory. */
	template <typename... Args> [[nodiscard]] T *create(Args &&...args)
	{
		void *memory = kmem_cache_alloc(cache_, GFP_KERNEL);

		if (!memory) [[unlikely]]
			memory = detail::or_throw([this] {
				return kmem_cache_alloc(cache_, GFP_KERNEL);
			});
		return construct(memory, std::forward<Args>(args)...);
	}

	/*
	 * As create(), but a null pointer without memory. gfp is GFP_KERNEL, or GFP_NOWAIT where
	 * the thread must not wait. A constructor may still throw.
	 */
	template <typename... Args> [[nodiscard]] T *try_create(gfp_t gfp, Args &&...args)
	{
		void *memory = kmem_cache_alloc(cache_, gfp);

		return memory ? construct(memory, std::forward<Args>(args)...) : nullptr;
	}

	template <typename... Args> [[nodiscard]] pointer make(Args &&...args)
	{
		return pointer(create(std::forward<Args>(args)...), deleter{ this });
	}

	/* A null pointer is allowed. */
	void destroy(T *object) noexcept
	{
		if (!object)
			return;
		object->~T();
		kmem_cache_free(cache_, object);
	}

	/*
	 * Frees all objects in use. They must not be used or destroyed later. The cache is gone.
	 * False, and nothing has changed, if a prefilled sheaf of handle() is in use.
	 */
	bool clear_and_destroy() noexcept
		requires std::is_trivially_destructible_v<T>
	{
		if (usermm_kmem_cache_destroy_all(cache_))
			return false;
		cache_ = nullptr;
		return true;
	}

	/* Gives empty slabs back. */
	void shrink() noexcept
	{
		kmem_cache_shrink(cache_);
	}

	kmem_cache *handle() const noexcept
	{
		return cache_;
	}

      private:
	static constexpr unsigned int object_bytes =
		static_cast<unsigned int>(std::max<std::size_t>(sizeof(T), KMALLOC_MIN_SIZE));

	/* Gives the memory back if a constructor throws. */
	struct unconstructed {
		kmem_cache *owner;
		void *memory;

		~unconstructed()
		{
			if (memory) [[unlikely]]
				kmem_cache_free(owner, memory);
		}
	};

	template <typename... Args> T *construct(void *memory, Args &&...args)
	{
		unconstructed guard{ cache_, memory };
		T *object = ::new (memory) T(std::forward<Args>(args)...);

		guard.memory = nullptr;
		return object;
	}

	kmem_cache *cache_;
};

/* --- Pages ---------------------------------------------------------------------------------- */

/* Owns 2^order pages, contiguous and aligned to their size; or none. */
class unique_page_block {
      public:
	constexpr unique_page_block() noexcept = default;

	/* A block of 2^order pages. Throws std::bad_alloc if order is above MAX_PAGE_ORDER, too. */
	explicit unique_page_block(unsigned int order, gfp_t gfp = GFP_KERNEL)
		: page_(order > MAX_PAGE_ORDER ? nullptr : alloc_pages(gfp, order)), order_(order)
	{
		if (order > MAX_PAGE_ORDER)
			detail::throw_bad_alloc();
		if (!page_)
			page_ = detail::or_throw([=] { return alloc_pages(gfp, order); });
	}

	/* A block of 2^order pages; an empty one if there is no memory. */
	[[nodiscard]] static unique_page_block try_allocate(unsigned int order,
							    gfp_t gfp = GFP_KERNEL) noexcept
	{
		return adopt(alloc_pages(gfp, order), order);
	}

	/* Takes over what alloc_pages() returned; a null pointer gives an empty block. */
	[[nodiscard]] static unique_page_block adopt(struct page *page, unsigned int order) noexcept
	{
		unique_page_block block;

		block.page_ = page;
		block.order_ = page ? order : 0;
		return block;
	}

	unique_page_block(unique_page_block &&other) noexcept
		: page_(std::exchange(other.page_, nullptr)), order_(std::exchange(other.order_, 0))
	{
	}

	unique_page_block &operator=(unique_page_block &&other) noexcept
	{
		unique_page_block(std::move(other)).swap(*this);
		return *this;
	}

	~unique_page_block()
	{
		if (page_)
			__free_pages(page_, order_);
	}

	void swap(unique_page_block &other) noexcept
	{
		std::swap(page_, other.page_);
		std::swap(order_, other.order_);
	}

	void reset() noexcept
	{
		unique_page_block().swap(*this);
	}

	/* Gives the block up; the caller frees it by __free_pages() with this order. */
	[[nodiscard]] struct page *release() noexcept
	{
		order_ = 0;
		return std::exchange(page_, nullptr);
	}

	explicit operator bool() const noexcept
	{
		return page_;
	}

	struct page *page() const noexcept
	{
		return page_;
	}

	unsigned int order() const noexcept
	{
		return order_;
	}

	/* The block's first byte; a null pointer if it is empty. */
	void *data() const noexcept
	{
		return page_ ? page_address(page_) : nullptr;
	}

	std::size_t size() const noexcept
	{
		return page_ ? PAGE_SIZE << order_ : 0;
	}

	std::span<std::byte> bytes() const noexcept
	{
		return { static_cast<std::byte *>(data()), size() };
	}

      private:
	struct page *page_ = nullptr;
	unsigned int order_ = 0;
};

} // namespace usermm

#endif
