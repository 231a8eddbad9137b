// SPDX-License-Identifier: MIT
//
// A program has its own operator new and delete for single objects alone. All other forms call
// these ([new.delete]), so their blocks have the program's mark.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

namespace {

constexpr std::size_t room = 64;
constexpr std::uint64_t mark = 0x6f776e6f776e6f77;
// gcc from 15 on assumes that operators new and delete write no variable of the program's.
volatile unsigned int balance, wrong;

void *marked(void *block)
{
	if (!block)
		throw std::bad_alloc();
	*static_cast<std::uint64_t *>(block) = mark;
	balance = balance + 1;
	return static_cast<char *>(block) + room;
}

void unmark(void *pointer)
{
	char *block = static_cast<char *>(pointer) - room;

	if (!pointer)
		return;
	if (*reinterpret_cast<std::uint64_t *>(block) != mark)
		wrong = wrong + 1;
	balance = balance - 1;
	free(block);
}

struct alignas(64) Wide {
	char bytes[64];
};

} // namespace

// The warning is about what this test does on purpose.
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wsized-deallocation"
#endif
#pragma GCC diagnostic ignored "-Wfree-nonheap-object"

void *operator new(std::size_t size) { return marked(malloc(size + room)); }
void operator delete(void *pointer) noexcept { unmark(pointer); }
void *operator new(std::size_t size, std::align_val_t align)
{
	return marked(aligned_alloc(std::size_t(align), (size + room + 63) / 64 * 64));
}
void operator delete(void *pointer, std::align_val_t) noexcept { unmark(pointer); }

template <typename T>
static bool try_all()
{
	T *one = new T, *some = new T[3];
	T *quiet = new (std::nothrow) T, *quiet_some = new (std::nothrow) T[3];
	bool good = balance == 4;

	delete one;
	delete[] some;
	operator delete(quiet, std::nothrow);
	operator delete[](quiet_some, std::nothrow);
	return good && !balance && !wrong;
}

static bool try_aligned()
{
	std::align_val_t align{alignof(Wide)};
	void *one = operator new(100, align, std::nothrow);
	void *some = operator new[](100, align, std::nothrow);
	bool good = balance == 2;

	operator delete(one, 100, align);
	operator delete[](some, 100, align);
	operator delete(operator new(1, align), align, std::nothrow);
	operator delete[](operator new[](1, align), align, std::nothrow);
	return good && !balance && !wrong;
}

// If the program's own operator throws, the forms that must not throw return NULL.
static bool try_impossible()
{
	volatile std::size_t size = SIZE_MAX / 2;

	return !operator new(size, std::nothrow) && !operator new[](size, std::nothrow) &&
	       !balance;
}

static bool try_library()
{
	{
		std::vector<std::unique_ptr<int>> numbers;

		for (int i = 0; i < 1000; i++)
			numbers.push_back(std::make_unique<int>(i));
		if (balance < 1001)
			return false;
	}
	return !balance && !wrong;
}

int main()
{
	bool good = try_all<long>() && try_all<Wide>() && try_aligned() && try_impossible() &&
		    try_library();

	std::printf("%s 1 - own_new # %u left, %u wrong\n1..1\n", good ? "ok" : "not ok", balance,
		    wrong);
	return good ? 0 : 1;
}
