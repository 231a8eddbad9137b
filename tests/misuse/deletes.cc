// SPDX-License-Identifier: MIT
// C++: mistakes with delete.
#include "misuse.h"

#include <new>

// Part of C++14, but some compilers declare them only when asked to.
void operator delete(void *, std::size_t) noexcept;
void operator delete[](void *, std::size_t) noexcept;
void operator delete(void *, std::size_t, std::align_val_t) noexcept;

namespace {

struct Base {
	char bytes[SMALL];
};

// Base's destructor runs, and delete is given Base's size.
struct Derived : Base {
	char more[4 * SMALL];
};

struct alignas(64) Aligned {
	char bytes[4 * SMALL];
};

came_of_it delete_as_smaller_type(size_t)
{
	Base *object = new Derived;

	::operator delete(opaque(object), sizeof(Base));
	return MISSED;
}

came_of_it delete_as_larger_type(size_t)
{
	Base *object = new Base;

	::operator delete(opaque(object), sizeof(Derived));
	return MISSED;
}

came_of_it delete_as_large_type(size_t)
{
	char *array = new char[LARGE];

	::operator delete[](opaque(array), opaque_size(LARGE / 4));
	return MISSED;
}

came_of_it delete_with_other_alignment(size_t)
{
	Aligned *object;

	do {
		object = new Aligned;
	} while (!(reinterpret_cast<uintptr_t>(object) & 4095));
	::operator delete(opaque(object), sizeof(Aligned), std::align_val_t(4096));
	return MISSED;
}

came_of_it delete_twice(size_t)
{
	Base *object = new Base;

	::operator delete(opaque(object), sizeof(Base));
	::operator delete(opaque(object), sizeof(Base));
	return MISSED;
}

came_of_it delete_on_stack(size_t)
{
	alignas(64) Derived object;

	::operator delete(opaque(&object));
	return MISSED;
}

came_of_it new_too_large(size_t size)
{
	try {
		return opaque(::operator new(opaque_size(size))) ? MISSED : HARMLESS;
	} catch (const std::bad_alloc &) {
		return HARMLESS;
	}
}

} // namespace

const struct misuse misuse_deletes[] = {
	{ "delete_as_smaller_type", delete_as_smaller_type, 0 },
	{ "delete_as_larger_type", delete_as_larger_type, 0 },
	{ "delete_as_smaller_array_large", delete_as_large_type, 0 },
	{ "delete_other_alignment", delete_with_other_alignment, 0 },
	{ "double_delete", delete_twice, 0 },
	{ "invalid_delete_stack", delete_on_stack, 0 },
	{ "oversized_new", new_too_large, SIZE_MAX - 15 },
	{ nullptr, nullptr, 0 },
};
