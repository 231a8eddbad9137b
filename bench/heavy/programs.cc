// SPDX-License-Identifier: MIT
/*
 * Programs that do little but allocate, in C++, by the standard library's containers. Used as
 * main.c is:
 *
 *	programs++ NAME [DIVISOR]
 */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "peak.h"

namespace
{

unsigned long divisor = 1;

unsigned long scaled(unsigned long number)
{
	return std::max(number / divisor, 1UL);
}

/* An index of names: ordered maps of strings to lists of numbers. */
std::uint64_t run_maps()
{
	std::minstd_rand random(3);
	std::uint64_t sum = 0;

	for (unsigned long i = scaled(16); i-- > 0;) {
		std::map<std::string, std::vector<int>> index;

		for (int j = 0; j < 120000; j++) {
			std::string name = "entry number " + std::to_string(random() % 20000);

			index[name].push_back(j);
			if (j % 7 == 0)
				index.erase("entry number " + std::to_string(random() % 20000));
		}
		for (const auto &[name, numbers] : index)
			sum += name.size() * numbers.size();
	}
	return sum;
}

/* A graph whose nodes share ownership, and whose edges change. */
struct node {
	std::vector<std::shared_ptr<node>> edges;
	std::unordered_map<int, int> weights;
};

std::uint64_t run_pointers()
{
	std::minstd_rand random(5);
	std::uint64_t sum = 0;

	for (unsigned long i = scaled(150); i-- > 0;) {
		std::list<std::shared_ptr<node>> order;
		std::vector<std::shared_ptr<node>> nodes;

		for (int j = 0; j < 6000; j++) {
			auto made = std::make_shared<node>();

			for (int k = 0; k < 4 && !nodes.empty(); k++) {
				made->edges.push_back(nodes[random() % nodes.size()]);
				made->weights[static_cast<int>(random() % 64)] = k;
			}
			order.push_back(made);
			nodes.push_back(std::move(made));
		}
		for (int j = 0; j < 20000; j++) {
			auto &some = nodes[random() % nodes.size()];

			some->weights[j] = j;
			if (some->weights.size() > 8)
				some->weights.clear();
		}
		for (const auto &some : order)
			sum += some->edges.size() + some->weights.size();
	}
	return sum;
}

/* Messages: closures in a queue, streams, variants and strings that are split and joined. */
std::uint64_t run_messages()
{
	using value = std::variant<std::int64_t, std::string, std::vector<std::string>>;
	std::minstd_rand random(7);
	std::deque<std::function<std::size_t()>> queue;
	std::uint64_t sum = 0;

	for (unsigned long i = scaled(4000000); i-- > 0;) {
		std::string text(random() % 60, 'x');
		value message = static_cast<std::int64_t>(i);

		if (i % 3 == 0)
			message = text;
		else if (i % 3 == 1)
			message = std::vector<std::string>{ text, text + " and more", "short" };
		queue.push_back([message = std::move(message), text] {
			if (auto *parts = std::get_if<2>(&message)) {
				std::string joined;

				for (const std::string &part : *parts)
					joined += part;
				return joined.size();
			}
			return text.size();
		});
		if (queue.size() > 500) {
			sum += queue.front()();
			queue.pop_front();
		}
		if (i % 16 == 0) {
			std::ostringstream out;

			out << "message " << i << ' ' << text;
			sum += out.str().size();
		}
	}
	return sum;
}

/* Regular expressions are compiled and matched. */
std::uint64_t run_patterns()
{
	std::minstd_rand random(9);
	std::uint64_t sum = 0;

	for (unsigned long i = scaled(24000); i-- > 0;) {
		std::string digits = std::to_string(random() % 100);
		std::regex pattern("(a|b)*c{1,3}[d-k]+" + digits + "?(x|yz)*");
		std::smatch match;
		std::string text = "ababccdefghi" + std::to_string(random() % 100) + "xyzx";

		sum += std::regex_search(text, match, pattern) ? match.size() : 1;
	}
	return sum;
}

const struct {
	const char *name;
	std::uint64_t (*run)();
} programs[] = {
	{ "maps", run_maps },
	{ "pointers", run_pointers },
	{ "messages", run_messages },
	{ "patterns", run_patterns },
};

} // namespace

int main(int argc, char **argv)
{
	if (argc > 2)
		divisor = std::strtoul(argv[2], nullptr, 10);
	for (const auto &program : programs) {
		if (argc > 1 && divisor && !std::strcmp(argv[1], program.name)) {
			unsigned long long sum = program.run();

			std::printf("%llu %lu\n", sum, peak_kib());
			return 0;
		}
	}
	std::fputs("usage: programs++ NAME [DIVISOR]; programs:", stderr);
	for (const auto &program : programs)
		std::fprintf(stderr, " %s", program.name);
	std::fputs("\n", stderr);
	return 2;
}
