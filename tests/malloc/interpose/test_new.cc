// SPDX-License-Identifier: MIT
// operator new and delete: every form, and what happens without memory.
#include "harness.h"

#include <map>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include <unistd.h>

#include "support/prng.h"

// Part of C++14, but some compilers declare them only when asked to.
void operator delete(void *, std::size_t) noexcept;
void operator delete[](void *, std::size_t) noexcept;
void operator delete(void *, std::size_t, std::align_val_t) noexcept;
void operator delete[](void *, std::size_t, std::align_val_t) noexcept;

namespace {

using std::align_val_t;
using std::nothrow;

constexpr size_t impossible[] = {size_t(PTRDIFF_MAX) + 1, SIZE_MAX / 2 + 4096, SIZE_MAX - 4096,
				 SIZE_MAX - 15, SIZE_MAX};

bool is_aligned(const void *block, size_t align)
{
	return (reinterpret_cast<uintptr_t>(block) & (align - 1)) == 0;
}

// Uses the block in full, so that it is not optimised away.
void *use(void *block, size_t size)
{
	CHECK(block && is_aligned(block, 16));
	memset(block, 0x44, size);
	return opaque(block);
}

void who_serves()
{
	static const char *const names[] = {
		"_Znwm", "_Znam", "_ZnwmRKSt9nothrow_t", "_ZnamRKSt9nothrow_t",
		"_ZnwmSt11align_val_t", "_ZnamSt11align_val_t",
		"_ZnwmSt11align_val_tRKSt9nothrow_t", "_ZnamSt11align_val_tRKSt9nothrow_t",
		"_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm", "_ZdlPvRKSt9nothrow_t",
		"_ZdaPvRKSt9nothrow_t", "_ZdlPvSt11align_val_t", "_ZdaPvSt11align_val_t",
		"_ZdlPvmSt11align_val_t", "_ZdaPvmSt11align_val_t",
		"_ZdlPvSt11align_val_tRKSt9nothrow_t", "_ZdaPvSt11align_val_tRKSt9nothrow_t",
	};

	for (const char *name : names)
		CHECK(is_usermm(library_of(name)), "; %s is in %s", name, library_of(name));
}

void all_forms(size_t size)
{
	operator delete(use(operator new(size), size));
	operator delete(use(operator new(size), size), size);
	operator delete(use(operator new(size, nothrow), size), nothrow);
	operator delete[](use(operator new[](size), size));
	operator delete[](use(operator new[](size), size), size);
	operator delete[](use(operator new[](size, nothrow), size), nothrow);
}

void all_aligned_forms(size_t size, size_t bytes)
{
	align_val_t align = align_val_t(bytes);
	void *blocks[8] = {
		operator new(size, align), operator new(size, align, nothrow),
		operator new[](size, align), operator new[](size, align, nothrow),
		operator new(size, align), operator new[](size, align),
		operator new(size, align), operator new[](size, align),
	};

	for (void *&block : blocks) {
		CHECK(is_aligned(block, bytes), "; align %zu, size %zu", bytes, size);
		block = use(block, size);
	}
	operator delete(blocks[0], align);
	operator delete(blocks[1], align, nothrow);
	operator delete[](blocks[2], align);
	operator delete[](blocks[3], align, nothrow);
	operator delete(blocks[4], size, align);
	operator delete[](blocks[5], size, align);
	operator delete(blocks[6], align);
	operator delete[](blocks[7], align);
}

void every_form()
{
	for (size_t size = 0; size < 10 * MIB; size += size < 600 ? 1 : size / 3) {
		all_forms(size);
		for (size_t align = 16; align <= 16 * KIB; align *= 4)
			all_aligned_forms(size, align);
	}
	all_aligned_forms(100, 8 * MIB);
	operator delete(nullptr);
	operator delete[](nullptr);
	operator delete(nullptr, nothrow);
	operator delete(nullptr, align_val_t(64));
}

// The function asks for an impossible size.
template <typename Function> bool throws_bad_alloc(Function function)
{
	try {
		opaque(function());
	} catch (const std::bad_alloc &) {
		return true;
	}
	return false;
}

void impossible_sizes()
{
	for (size_t constant : impossible) {
		size_t size = opaque_size(constant);

		CHECK(throws_bad_alloc([&] { return operator new(size); }), "; %#zx", size);
		CHECK(throws_bad_alloc([&] { return operator new[](size); }), "; %#zx", size);
		CHECK(!operator new(size, nothrow));
		CHECK(!operator new[](size, nothrow));
		// libstdc++ 12 rounds the size up to the alignment, to 0 for these.
		if (size >= SIZE_MAX - 4096 && !preloaded())
			continue;
		CHECK(throws_bad_alloc([&] { return operator new(size, align_val_t(64)); }));
		CHECK(throws_bad_alloc(
			[&] { return operator new[](size, align_val_t(4096)); }));
		CHECK(!operator new(size, align_val_t(64), nothrow));
		CHECK(!operator new[](size, align_val_t(4096), nothrow));
	}
	CHECK(throws_bad_alloc([] { return new double[opaque_size(SIZE_MAX / 4)]; }));
	CHECK(throws_bad_alloc([] { return new std::string[opaque_size(SIZE_MAX / 64)]; }));
	CHECK(throws_bad_alloc([] {
		std::string text;

		text.reserve(text.max_size());
		return nullptr;
	}));
}

// A number that is no alignment is refused, and the handler is not called.
void impossible_alignments()
{
	for (unsigned int bytes : {0u, 3u, 12u, 48u, 4095u}) {
		align_val_t align = align_val_t(opaque_size(bytes));

		std::set_new_handler([] { _exit(99); });
		CHECK(throws_bad_alloc([&] { return operator new(10, align); }), "; %u", bytes);
		CHECK(throws_bad_alloc([&] { return operator new[](10, align); }), "; %u", bytes);
		CHECK(!operator new(10, align, nothrow));
		CHECK(!operator new[](10, align, nothrow));
		std::set_new_handler(nullptr);
	}
}

// --- The new-handler ----------------------------------------------------------

unsigned int nr_calls;

struct handler_error {
	int value;
};

struct own_bad_alloc : std::bad_alloc {
};

void give_up_after_three()
{
	if (++nr_calls == 3)
		std::set_new_handler(nullptr);
}

void throw_after_two()
{
	if (++nr_calls == 2)
		throw own_bad_alloc();
}

void throw_something_else()
{
	nr_calls++;
	throw handler_error{42};
}

struct with_handler {
	explicit with_handler(std::new_handler handler)
	{
		nr_calls = 0;
		std::set_new_handler(handler);
	}
	~with_handler() { std::set_new_handler(nullptr); }
};

void new_handler_is_called()
{
	const size_t size = opaque_size(SIZE_MAX / 2 + 1);

	{
		with_handler handler(give_up_after_three);
		CHECK(throws_bad_alloc([&] { return operator new(size); }) && nr_calls == 3);
	}
	{
		with_handler handler(give_up_after_three);
		CHECK(throws_bad_alloc([&] { return operator new(size, align_val_t(256)); }));
		CHECK(nr_calls == 3);
	}
	{
		with_handler handler(give_up_after_three);
		CHECK(!operator new[](size, nothrow) && nr_calls == 3);
	}
	{
		with_handler handler(give_up_after_three);
		CHECK(!operator new(size, align_val_t(256), nothrow) && nr_calls == 3);
	}
	{
		with_handler handler(throw_after_two);
		bool caught = false;

		try {
			opaque(operator new[](size));
		} catch (const own_bad_alloc &) {
			caught = true;
		}
		CHECK(caught && nr_calls == 2);
	}
}

void new_handler_throws()
{
	const size_t size = opaque_size(SIZE_MAX / 2 + 1);

	for (std::new_handler handler : {&throw_after_two, &throw_something_else}) {
		with_handler scope(handler);

		CHECK(!operator new(size, nothrow) && nr_calls);
		nr_calls = 0;
		CHECK(!operator new[](size, nothrow) && nr_calls);
		nr_calls = 0;
		CHECK(!operator new(size, align_val_t(64), nothrow) && nr_calls);
		nr_calls = 0;
		CHECK(!operator new[](size, align_val_t(64), nothrow) && nr_calls);
	}
	with_handler scope(throw_something_else);
	try {
		opaque(operator new(size));
		CHECK(!"reached");
	} catch (const handler_error &error) {
		CHECK(error.value == 42 && nr_calls == 1);
	}
	// While there is memory the handler is not called.
	nr_calls = 0;
	operator delete(use(operator new(1000), 1000));
	CHECK(!nr_calls);
}

// --- Containers, exceptions and threads -----------------------------------------

struct alignas(128) wide {
	explicit wide(unsigned int value) : value(value)
	{
		if (value % 7 == 0)
			throw std::runtime_error("a constructor fails after its allocation");
	}
	unsigned int value;
	char rest[300] = {};
};

void containers_of_one_thread(unsigned int seed)
{
	struct prng prng = {seed};
	std::map<unsigned int, std::string> map;
	std::unordered_map<std::string, std::vector<unsigned int>> table;
	std::vector<std::unique_ptr<wide>> objects;
	unsigned int nr_thrown = 0, nr_expected = 0;

	for (unsigned int i = 0; i < 100000; i++) {
		unsigned int key = prng_below(&prng, 1000);

		map[key] = std::string(prng_below(&prng, 200), char('a' + key % 26));
		table[map[key].substr(0, 3)].push_back(key);
		nr_expected += key % 7 == 0;
		try {
			objects.push_back(std::make_unique<wide>(key));
			CHECK(is_aligned(objects.back().get(), 128));
		} catch (const std::runtime_error &) {
			nr_thrown++;
		}
		if (objects.size() > 500)
			objects.clear();
	}
	CHECK(nr_thrown == nr_expected);
	for (const auto &entry : map)
		for (char c : entry.second)
			CHECK(c == char('a' + entry.first % 26));
}

void containers_in_threads()
{
	std::vector<std::thread> threads;

	for (unsigned int i = 0; i < 4; i++)
		threads.emplace_back(containers_of_one_thread, i);
	for (auto &thread : threads)
		thread.join();
}

// An exception is allocated, too; and travels from thread to thread.
void exceptions_between_threads()
{
	for (int i = 0; i < 300; i++) {
		std::exception_ptr error;

		std::thread([&] {
			try {
				(void)std::vector<char>().at(size_t(i));
			} catch (...) {
				error = std::current_exception();
			}
		}).join();
		try {
			std::rethrow_exception(error);
		} catch (const std::out_of_range &range) {
			CHECK(strlen(range.what()) > 0);
		}
	}
}

} // namespace

TEST_MAIN({"who_serves", who_serves, true}, {"every_form", every_form, false},
	  {"impossible_sizes", impossible_sizes, false},
	  {"impossible_alignments", impossible_alignments, false},
	  {"new_handler_is_called", new_handler_is_called, false},
	  {"new_handler_throws", new_handler_throws, false},
	  {"containers_in_threads", containers_in_threads, false},
	  {"exceptions_between_threads", exceptions_between_threads, false})
