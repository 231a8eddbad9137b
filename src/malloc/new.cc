// SPDX-License-Identifier: MIT
//
// C++ operator new and delete, all forms of C++17 and C++14's sized delete.
//
// The library must not depend on the C++ runtime: most programs it is preloaded
// into are C. What is needed of the runtime (throwing, catching, the new-handler)
// is declared weak here: a C++ program has it when this library is bound. If a
// plugin brings it later it is looked up when memory runs out. (libc++ exports
// std::__throw_bad_alloc() up to version 15; with a later one operator new ends
// the process then.)
#include <cstddef>
#include <new>

#include "malloc/cxx_runtime.h"

extern "C" {
void *malloc(std::size_t size);
void free(void *pointer);
void free_sized(void *pointer, std::size_t size) noexcept;
void free_aligned_sized(void *pointer, std::size_t align, std::size_t size) noexcept;
void *aligned_alloc(std::size_t align, std::size_t size);
}

// std::__throw_bad_alloc() of libstdc++, std::get_new_handler() of any runtime.
[[noreturn]] void throw_bad_alloc() __asm__("_ZSt17__throw_bad_allocv") __attribute__((weak));
std::new_handler get_handler() noexcept __asm__("_ZSt15get_new_handlerv")
	__attribute__((weak));

__asm__(".weak __gxx_personality_v0\n\t"
	".weak __cxa_begin_catch\n\t"
	".weak __cxa_end_catch\n\t"
	".weak _Unwind_Resume\n\t"
	".weak _ZSt9terminatev");

#define EXPORT __attribute__((visibility("default"), used))

namespace {

constexpr std::size_t default_align = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

inline void *try_once(std::size_t size, std::size_t align)
{
	// An alignment that is not of the language's making is left to aligned_alloc.
	return align <= default_align ? malloc(size) : aligned_alloc(align, size);
}

std::new_handler current_handler() noexcept
{
	using get_handler_type = std::new_handler (*)();
	get_handler_type get = get_handler;

	if (!get)
		get = reinterpret_cast<get_handler_type>(
			cxx_runtime_symbol("_ZSt15get_new_handlerv"));
	return get ? get() : nullptr;
}

[[noreturn]] void fail(std::size_t size)
{
	using throw_type = void (*)();
	throw_type raise = throw_bad_alloc;

	if (!raise)
		raise = reinterpret_cast<throw_type>(
			cxx_runtime_symbol("_ZSt17__throw_bad_allocv"));
	if (raise)
		raise();
	cxx_runtime_missing(size);
}

// Asks the new-handler for memory until there is some or the handler gives up.
__attribute__((noinline, cold)) void *allocate_slow(std::size_t size, std::size_t align)
{
	for (;;) {
		std::new_handler handler = current_handler();

		if (!handler)
			fail(size);
		handler();
		if (void *block = try_once(size, align))
			return block;
	}
}

inline void *allocate(std::size_t size, std::size_t align = 1)
{
	void *block = try_once(size, align);

	return __builtin_expect(block != nullptr, 1) ? block : allocate_slow(size, align);
}

__attribute__((noinline, cold)) void *allocate_nothrow_slow(std::size_t size,
							     std::size_t align) noexcept
{
	// Without a handler nothing is thrown, and nobody may be there to catch.
	if (!current_handler())
		return nullptr;
	try {
		return allocate_slow(size, align);
	} catch (...) {
		return nullptr;
	}
}

inline void *allocate_nothrow(std::size_t size, std::size_t align = 1) noexcept
{
	void *block = try_once(size, align);

	return __builtin_expect(block != nullptr, 1) ? block :
						       allocate_nothrow_slow(size, align);
}

} // namespace

using std::align_val_t;
using std::nothrow_t;
using std::size_t;

EXPORT void *operator new(size_t size) { return allocate(size); }
EXPORT void *operator new[](size_t size) { return allocate(size); }
EXPORT void *operator new(size_t size, const nothrow_t &) noexcept
{
	return allocate_nothrow(size);
}
EXPORT void *operator new[](size_t size, const nothrow_t &) noexcept
{
	return allocate_nothrow(size);
}
EXPORT void *operator new(size_t size, align_val_t align)
{
	return allocate(size, size_t(align));
}
EXPORT void *operator new[](size_t size, align_val_t align)
{
	return allocate(size, size_t(align));
}
EXPORT void *operator new(size_t size, align_val_t align, const nothrow_t &) noexcept
{
	return allocate_nothrow(size, size_t(align));
}
EXPORT void *operator new[](size_t size, align_val_t align, const nothrow_t &) noexcept
{
	return allocate_nothrow(size, size_t(align));
}

EXPORT void operator delete(void *pointer) noexcept { free(pointer); }
EXPORT void operator delete[](void *pointer) noexcept { free(pointer); }
EXPORT void operator delete(void *pointer, size_t size) noexcept
{
	free_sized(pointer, size);
}
EXPORT void operator delete[](void *pointer, size_t size) noexcept
{
	free_sized(pointer, size);
}
EXPORT void operator delete(void *pointer, const nothrow_t &) noexcept { free(pointer); }
EXPORT void operator delete[](void *pointer, const nothrow_t &) noexcept { free(pointer); }
EXPORT void operator delete(void *pointer, align_val_t) noexcept { free(pointer); }
EXPORT void operator delete[](void *pointer, align_val_t) noexcept { free(pointer); }
EXPORT void operator delete(void *pointer, size_t size, align_val_t align) noexcept
{
	free_aligned_sized(pointer, size_t(align), size);
}
EXPORT void operator delete[](void *pointer, size_t size, align_val_t align) noexcept
{
	free_aligned_sized(pointer, size_t(align), size);
}
EXPORT void operator delete(void *pointer, align_val_t, const nothrow_t &) noexcept
{
	free(pointer);
}
EXPORT void operator delete[](void *pointer, align_val_t, const nothrow_t &) noexcept
{
	free(pointer);
}
