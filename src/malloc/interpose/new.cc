// SPDX-License-Identifier: MIT
//
// C++ operator new and delete: all forms of C++17, and C++14's sized delete.
//
// A program may replace some forms. The standard ([new.delete]) says which form calls which by
// default: arrays call single objects, sized forms the unsized ones, nothrow forms the throwing
// ones. So each form checks whether the form that it would call is still the library's, or whether
// the dynamic linker has bound the name to the program's. All forms are weak: in a program that is
// linked with the one object, the program's own forms replace them.
//
// The library must not depend on the C++ runtime, since most programs that it is preloaded into are
// in C. What it needs of the runtime (throwing, catching, the new-handler) is declared weak here. A
// C++ program has these names when this library is bound or linked, with exceptions:
// std::__throw_bad_alloc() is missing in libc++ from version 16 on, and in a static program that
// does not use it. Then the exception is made here. If there is no runtime yet, because a plugin
// brings it later, a request that finds no memory goes to the runtime's own operator of the same
// form. That operator asks malloc() once more, and then does what its program expects.
#include <cstddef>
#include <new>

#include "malloc/interpose/cxx_runtime.h"

extern "C" {
// The process's, which may be the program's own (malloc/family.h). clang has no noplt: there a call
// goes by a stub.
#if __has_attribute(noplt)
#define PROCESS __attribute__((noplt, visibility("default")))
#else
#define PROCESS __attribute__((visibility("default")))
#endif
PROCESS void *malloc(std::size_t size);
PROCESS void *aligned_alloc(std::size_t align, std::size_t size);
PROCESS void free(void *pointer);

// The library's.
#define LIBRARY __attribute__((visibility("hidden")))
LIBRARY void *own_aligned_alloc(std::size_t align, std::size_t size);
LIBRARY void own_free(void *pointer);
void free_sized(void *pointer, std::size_t size) noexcept;
void free_aligned_sized(void *pointer, std::size_t align, std::size_t size) noexcept;
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

// The parts of `throw std::bad_alloc()`. Each is in another part of the runtime.
__asm__(".weak _ZTVSt9bad_alloc");
void *allocate_exception(std::size_t size) noexcept __asm__("__cxa_allocate_exception")
	__attribute__((weak));
[[noreturn]] void throw_exception(void *exception, const void *type, void (*destroy)(void *))
	__asm__("__cxa_throw") __attribute__((weak));
extern const char bad_alloc_type[] __asm__("_ZTISt9bad_alloc") __attribute__((weak));
void destroy_bad_alloc(void *exception) __asm__("_ZNSt9bad_allocD1Ev") __attribute__((weak));

#define EXPORT __attribute__((visibility("default"), used, weak))
#define HOT __attribute__((hot))	// cf. base/compiler.h

namespace {

constexpr std::size_t default_align = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

using new_type = void *(std::size_t);
using new_aligned_type = void *(std::size_t, std::align_val_t);
using nothrow_type = void *(std::size_t, const std::nothrow_t &);
using nothrow_aligned_type = void *(std::size_t, std::align_val_t, const std::nothrow_t &);

inline bool is_alignment(std::size_t align)
{
	return align && !(align & (align - 1));
}

inline void *try_once(std::size_t size, std::size_t align)
{
	return align <= default_align ? malloc(size) : aligned_alloc(align, size);
}

template <typename Function>
Function *runtimes_own(const char *name, const void *caller)
{
	return reinterpret_cast<Function *>(cxx_runtime_symbol(name, caller));
}

bool may_throw()
{
	return throw_bad_alloc || (allocate_exception && throw_exception && bad_alloc_type);
}

[[noreturn]] void throw_out_of_memory(std::size_t size)
{
	if (!may_throw())
		cxx_runtime_missing(size);
	if (throw_bad_alloc)
		throw_bad_alloc();
	throw_exception(new (allocate_exception(sizeof(std::bad_alloc))) std::bad_alloc,
			bad_alloc_type, destroy_bad_alloc);
}

// Calls the runtime's own operator new. Without one, in a static program, this throws itself.
void *runtimes_new(std::size_t size, std::size_t align, const void *caller)
{
	if (is_alignment(align) && align <= default_align) {
		if (auto *own = runtimes_own<new_type>("_Znwm", caller))
			return own(size);
	} else {
		auto *own = runtimes_own<new_aligned_type>("_ZnwmSt11align_val_t", caller);

		if (own)
			return own(size, std::align_val_t(align));
	}
	throw_out_of_memory(size);
}

// Calls the runtime's own nothrow operator. That calls operator new by its public name, which is
// ours, and catches what ours makes the runtime throw.
void *runtimes_new_nothrow(std::size_t size, std::size_t align, const void *caller)
{
	if (align <= default_align) {
		auto *own = runtimes_own<nothrow_type>("_ZnwmRKSt9nothrow_t", caller);

		return own ? own(size, std::nothrow_t()) : nullptr;
	}
	auto *own = runtimes_own<nothrow_aligned_type>("_ZnwmSt11align_val_tRKSt9nothrow_t",
						       caller);

	return own ? own(size, std::align_val_t(align), std::nothrow_t()) : nullptr;
}

// Calls the new-handler until there is memory or the handler gives up. If align is no alignment,
// no handler can help.
void *ask_handlers(std::size_t size, std::size_t align)
{
	while (std::new_handler handler = is_alignment(align) ? get_handler() : nullptr) {
		handler();
		if (void *block = try_once(size, align))
			return block;
	}
	return nullptr;
}

// A static program may have new-handlers and no means to throw: the handlers are called first.
__attribute__((noinline, cold)) void *allocate_slow(std::size_t size, std::size_t align,
						     const void *caller)
{
	if (get_handler) {
		if (void *block = ask_handlers(size, align))
			return block;
		if (may_throw())
			throw_out_of_memory(size);
	}
	return runtimes_new(size, align, caller);
}

// The return address is read only when there is no memory: read before, it would take a register.
#define CALLER __builtin_return_address(0)
#define ALWAYS_INLINE inline __attribute__((always_inline))

ALWAYS_INLINE void *allocate(std::size_t size, std::size_t align = 1)
{
	void *block = is_alignment(align) ? try_once(size, align) : nullptr;

	return __builtin_expect(block != nullptr, 1) ? block : allocate_slow(size, align, CALLER);
}

__attribute__((noinline, cold)) void *allocate_nothrow_slow(std::size_t size, std::size_t align,
							     const void *caller) noexcept
{
	if (!is_alignment(align))
		return nullptr;
	if (!get_handler)
		return runtimes_new_nothrow(size, align, caller);
	// Only a new-handler throws here, and a program that has one has what catches it.
	try {
		return ask_handlers(size, align);
	} catch (...) {
		return nullptr;
	}
}

ALWAYS_INLINE void *allocate_nothrow(std::size_t size, std::size_t align = 1) noexcept
{
	void *block = is_alignment(align) ? try_once(size, align) : nullptr;

	return __builtin_expect(block != nullptr, 1) ? block :
						       allocate_nothrow_slow(size, align, CALLER);
}

} // namespace

using std::align_val_t;
using std::nothrow_t;
using std::size_t;

// Second names of the library's own operators, whatever the public names are bound to. The
// assembler makes them: the compiler would treat its own aliases as equal to the public names.
__asm__(".macro own name\n\t"
	".globl usermm_own\\name\n\t"
	".hidden usermm_own\\name\n\t"
	".set usermm_own\\name, \\name\n\t"
	".endm\n\t"
	"own _Znwm\n\t"
	"own _Znam\n\t"
	"own _ZnwmSt11align_val_t\n\t"
	"own _ZnamSt11align_val_t\n\t"
	"own _ZdlPv\n\t"
	"own _ZdaPv\n\t"
	"own _ZdlPvSt11align_val_t\n\t"
	"own _ZdaPvSt11align_val_t\n\t"
	".purgem own");

#define OWN(name) __asm__("usermm_own" name) __attribute__((visibility("hidden")))
void *own_new(size_t) OWN("_Znwm");
void *own_new_array(size_t) OWN("_Znam");
void *own_new_aligned(size_t, align_val_t) OWN("_ZnwmSt11align_val_t");
void *own_new_array_aligned(size_t, align_val_t) OWN("_ZnamSt11align_val_t");
void own_delete(void *) OWN("_ZdlPv");
void own_delete_array(void *) OWN("_ZdaPv");
void own_delete_aligned(void *, align_val_t) OWN("_ZdlPvSt11align_val_t");
void own_delete_array_aligned(void *, align_val_t) OWN("_ZdaPvSt11align_val_t");

namespace {

using delete_type = void(void *);
using delete_aligned_type = void(void *, align_val_t);

// Hides from the compiler that these are two names: clang takes it that free() and own_free() are
// two functions, and never equal.
template <typename Function>
inline bool is_own(Function *bound, Function *own)
{
	__asm__("" : "+r"(own));
	return __builtin_expect(bound == own, 1);
}

inline bool new_is_own()
{
	return is_own<new_type>(::operator new, own_new);
}

inline bool new_array_is_own()
{
	return new_is_own() && is_own<new_type>(::operator new[], own_new_array);
}

inline bool new_aligned_is_own()
{
	return is_own<new_aligned_type>(::operator new, own_new_aligned);
}

inline bool new_array_aligned_is_own()
{
	return new_aligned_is_own() &&
	       is_own<new_aligned_type>(::operator new[], own_new_array_aligned);
}

// What operator delete is bound to where sized forms may free by themselves: nothing, if the
// process has another free().
delete_type *freeing_delete = own_delete;

inline bool delete_is_own()
{
	return is_own<delete_type>(::operator delete, freeing_delete);
}

inline bool delete_array_is_own()
{
	return delete_is_own() && is_own<delete_type>(::operator delete[], own_delete_array);
}

inline bool delete_aligned_is_own()
{
	return is_own<delete_aligned_type>(::operator delete, own_delete_aligned);
}

using c_free_type = void(void *);
using c_aligned_alloc_type = void *(size_t, size_t);

// Is it a block of the library's, which a program's own free() has no use for?
inline bool aligned_is_own(align_val_t align)
{
	return size_t(align) > default_align &&
	       is_own<c_aligned_alloc_type>(aligned_alloc, own_aligned_alloc);
}

inline void free_aligned(void *pointer, align_val_t align)
{
	if (aligned_is_own(align))
		own_free(pointer);
	else
		free(pointer);
}

inline void free_aligned(void *pointer, align_val_t align, size_t size)
{
	if (aligned_is_own(align) || is_own<c_free_type>(free, own_free))
		free_aligned_sized(pointer, size_t(align), size);
	else
		free(pointer);
}

__attribute__((constructor(101))) void note_whose_free()
{
	if (!is_own<c_free_type>(free, own_free))
		freeing_delete = nullptr;
}

inline bool delete_array_aligned_is_own()
{
	return delete_aligned_is_own() &&
	       is_own<delete_aligned_type>(::operator delete[], own_delete_array_aligned);
}

} // namespace

bool cxx_new_is_programs()
{
	return !new_array_is_own() || !new_array_aligned_is_own();
}

namespace {

// Calls the program's own throwing operator, and catches what it throws.
__attribute__((noinline, cold)) void *call_nothrow(new_type *programs, size_t size) noexcept
{
	try {
		return programs(size);
	} catch (...) {
		return nullptr;
	}
}

__attribute__((noinline, cold)) void *call_nothrow(new_aligned_type *programs, size_t size,
						    align_val_t align) noexcept
{
	try {
		return programs(size, align);
	} catch (...) {
		return nullptr;
	}
}

} // namespace

EXPORT HOT void *operator new(size_t size) { return allocate(size); }
EXPORT HOT void *operator new[](size_t size)
{
	return new_is_own() ? allocate(size) : ::operator new(size);
}
EXPORT void *operator new(size_t size, const nothrow_t &) noexcept
{
	return new_is_own() ? allocate_nothrow(size) :
			      call_nothrow(::operator new, size);
}
EXPORT void *operator new[](size_t size, const nothrow_t &) noexcept
{
	return new_array_is_own() ? allocate_nothrow(size) :
				    call_nothrow(::operator new[], size);
}
EXPORT void *operator new(size_t size, align_val_t align)
{
	return allocate(size, size_t(align));
}
EXPORT void *operator new[](size_t size, align_val_t align)
{
	return new_aligned_is_own() ? allocate(size, size_t(align)) :
				      ::operator new(size, align);
}
EXPORT void *operator new(size_t size, align_val_t align, const nothrow_t &) noexcept
{
	return new_aligned_is_own() ?
		       allocate_nothrow(size, size_t(align)) :
		       call_nothrow(::operator new, size, align);
}
EXPORT void *operator new[](size_t size, align_val_t align, const nothrow_t &) noexcept
{
	return new_array_aligned_is_own() ?
		       allocate_nothrow(size, size_t(align)) :
		       call_nothrow(::operator new[], size, align);
}

EXPORT HOT void operator delete(void *pointer) noexcept { free(pointer); }
EXPORT HOT void operator delete[](void *pointer) noexcept
{
	return delete_is_own() ? free(pointer) : ::operator delete(pointer);
}
EXPORT HOT void operator delete(void *pointer, size_t size) noexcept
{
	return delete_is_own() ? free_sized(pointer, size) : ::operator delete(pointer);
}
EXPORT HOT void operator delete[](void *pointer, size_t size) noexcept
{
	return delete_array_is_own() ? free_sized(pointer, size) : ::operator delete[](pointer);
}
EXPORT void operator delete(void *pointer, const nothrow_t &) noexcept
{
	return delete_is_own() ? free(pointer) : ::operator delete(pointer);
}
EXPORT void operator delete[](void *pointer, const nothrow_t &) noexcept
{
	return delete_array_is_own() ? free(pointer) : ::operator delete[](pointer);
}
EXPORT void operator delete(void *pointer, align_val_t align) noexcept
{
	free_aligned(pointer, align);
}
EXPORT void operator delete[](void *pointer, align_val_t align) noexcept
{
	return delete_aligned_is_own() ? free_aligned(pointer, align) :
					 ::operator delete(pointer, align);
}
EXPORT void operator delete(void *pointer, size_t size, align_val_t align) noexcept
{
	return delete_aligned_is_own() ? free_aligned(pointer, align, size) :
					 ::operator delete(pointer, align);
}
EXPORT void operator delete[](void *pointer, size_t size, align_val_t align) noexcept
{
	return delete_array_aligned_is_own() ?
	       free_aligned(pointer, align, size) :
	       ::operator delete[](pointer, align);
}
EXPORT void operator delete(void *pointer, align_val_t align, const nothrow_t &) noexcept
{
	return delete_aligned_is_own() ? free_aligned(pointer, align) :
					 ::operator delete(pointer, align);
}
EXPORT void operator delete[](void *pointer, align_val_t align, const nothrow_t &) noexcept
{
	return delete_array_aligned_is_own() ? free_aligned(pointer, align) :
					       ::operator delete[](pointer, align);
}
