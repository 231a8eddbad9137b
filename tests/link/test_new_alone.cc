// SPDX-License-Identifier: MIT
//
// A program that takes nothing of the C++ runtime but what new and catch need: where the runtime is
// an archive, what throws bad_alloc has to come along for new, whose own operator does not.
#include <cstdio>
#include <new>

static bool throws()
{
	volatile std::size_t size = ~0UL / 2;

	try {
		operator delete(operator new(size));
	} catch (const std::bad_alloc &) {
		return true;
	}
	return false;
}

int main()
{
	volatile std::size_t size = ~0UL / 2;
	bool good = throws() && !operator new(size, std::nothrow);

	std::printf("%d passed, %d failed\n", good, !good);
	return !good;
}
