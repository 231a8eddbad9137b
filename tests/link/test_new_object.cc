// SPDX-License-Identifier: MIT
//
// As test_malloc_object.c, in C++: new and delete are the object's, and bad_alloc is the runtime's.
#include <usermm/stats.h>

#include <cstdio>
#include <new>
#include <string>
#include <vector>

namespace {

size_t blocks_so_far()
{
	usermm_stats stats;

	usermm_stats_read(&stats);
	return stats.malloc_page_blocks + stats.malloc_large_blocks;
}

bool throws()
{
	volatile size_t size = ~0UL / 2;

	try {
		operator delete(operator new(size));
	} catch (const std::bad_alloc &) {
		return !operator new(size, std::nothrow);
	}
	return false;
}

struct alignas(256) aligned {
	char bytes[2 << 20];
};

} // namespace

int main()
{
	size_t before = blocks_so_far();
	std::vector<std::string> strings(20000, std::string(100, 'x'));
	aligned *volatile one = new aligned;
	bool good = blocks_so_far() == before + 1 + 1 && reinterpret_cast<size_t>(one) % 256 == 0;

	delete one;
	good = good && strings.back().size() == 100 && throws();
	std::printf("%d passed, %d failed\n", good, !good);
	return !good;
}
