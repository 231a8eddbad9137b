// SPDX-License-Identifier: MIT
//
// Compiled by g++ on usermm, then run on it: containers, strings, shared
// pointers, exceptions, over-aligned objects and threads.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

struct alignas(128) Wide {
	std::uint64_t words[16] = {};
};

static std::uint64_t containers(unsigned seed)
{
	std::map<std::string, std::vector<unsigned>> groups;
	std::unordered_map<unsigned, std::shared_ptr<std::string>> shared;
	std::uint64_t sum = 0;

	for (unsigned i = 0; i < 20000; i++) {
		unsigned key = (i * 2654435761u + seed) % 977;

		groups["group " + std::to_string(key) + std::string(key % 50, '.')].push_back(i);
		auto &text = shared[key];
		text = text ? std::make_shared<std::string>(*text + char('a' + i % 26))
			    : std::make_shared<std::string>();
	}
	for (auto &[name, numbers] : groups) {
		std::sort(numbers.rbegin(), numbers.rend());
		sum += name.size() * numbers.front() + numbers.back();
	}
	for (auto &[key, text] : shared)
		sum += key * text->size();
	return sum;
}

// Keeps the compiler from dropping an allocation that is not used.
static char *volatile out_of_reach;

static unsigned exceptions()
{
	unsigned caught = 0;

	for (int i = 0; i < 2000; i++) {
		try {
			std::string text(static_cast<size_t>(i), 'x');
			if (i % 3 == 0)
				throw std::runtime_error(text);
			text.at(text.size());
		} catch (const std::out_of_range &) {
			caught++;
		} catch (const std::exception &error) {
			caught += std::string(error.what()).size() == static_cast<size_t>(i);
		}
	}
	try {
		out_of_reach = new char[SIZE_MAX / 4];
	} catch (const std::bad_alloc &) {
		caught++;
	}
	return caught;
}

static unsigned aligned()
{
	std::vector<std::unique_ptr<Wide>> wide;
	unsigned good = 0;

	for (int i = 0; i < 3000; i++)
		wide.push_back(std::make_unique<Wide>());
	for (auto &one : wide)
		good += reinterpret_cast<std::uintptr_t>(one.get()) % alignof(Wide) == 0;
	return good;
}

int main()
{
	std::vector<std::uint64_t> sums(4);
	std::vector<std::thread> threads;

	for (unsigned i = 0; i < sums.size(); i++)
		threads.emplace_back([&sums, i] { sums[i] = containers(i); });
	for (auto &thread : threads)
		thread.join();
	unsigned long long sum = std::accumulate(sums.begin(), sums.end(), 0ull);

	std::printf("%llu in containers, %u exceptions, %u aligned\n", sum, exceptions(),
		    aligned());
}
