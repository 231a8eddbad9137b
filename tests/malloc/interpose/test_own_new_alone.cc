// SPDX-License-Identifier: MIT
//
// A program's operator new asks malloc() for more bytes than it was asked for, and operator delete
// is the library's. Sized delete then names the size that new was asked for. Modes that check sizes
// must accept this size, too.
#include <new>
#include <vector>

#include "child.h"

// Part of C++14, but some compilers declare them only when asked to.
void operator delete(void *, std::size_t) noexcept;
void operator delete[](void *, std::size_t) noexcept;
void operator delete(void *, std::size_t, std::align_val_t) noexcept;

// The warning is about what this test does on purpose.
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wsized-deallocation"
#endif

static void *with_room(std::size_t align, std::size_t size)
{
	void *block = aligned_alloc(align, (size + 2 * align) / align * align);

	if (!block)
		throw std::bad_alloc();
	return block;
}

void *operator new(std::size_t size) { return with_room(32, size); }
void *operator new(std::size_t size, std::align_val_t align)
{
	return with_room(std::size_t(align), size);
}

static int use_all()
{
	for (std::size_t size = 1; size < 100000; size += size / 2 + 1) {
		std::align_val_t align{64};

		operator delete(opaque(operator new(size)), size);
		operator delete[](opaque(operator new[](size)), size);
		operator delete(opaque(operator new(size, align)), size, align);
	}
	std::vector<int> numbers;
	for (int i = 0; i < 1000; i++)
		numbers.push_back(i);
	return harness_status();
}

// A size larger than the size that malloc() was asked for is always wrong.
static int tell_more()
{
	operator delete(opaque(operator new(100)), 200);
	return harness_status();
}

static const char *const options[] = {"hardened=1", "kfence_sample=1", "hardened=1:slab_debug=FZU"};

static void sizes_that_were_asked_for()
{
	child_expect_quiet("--use", nullptr);
	for (const char *option : options)
		child_expect_quiet("--use", option);
}

static void sizes_beyond_the_block()
{
	struct child_again again = {"--more", nullptr, "hardened=1", 0};
	struct child_result result;

	child_run(&result, child_exec_again, &again);
	CHECK(child_died_by(result.status, SIGABRT) && strstr(result.err, "wrong size"),
	      "; wait status %#x %s", result.status, result.err);
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{"sizes_that_were_asked_for", sizes_that_were_asked_for, true},
		{"sizes_beyond_the_block", sizes_beyond_the_block, true},
	};

	if (argc > 1 && !strcmp(argv[1], "--use"))
		return use_all();
	if (argc > 1 && !strcmp(argv[1], "--more"))
		return tell_more();
	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
