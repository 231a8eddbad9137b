// SPDX-License-Identifier: MIT
// C++ objects that are made before main() and destroyed after it.
#include "harness.h"

#include <atomic>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <pthread.h>

#include "child.h"

namespace {

std::map<int, std::string> make_numbers(int n)
{
	std::map<int, std::string> numbers;

	for (int i = 0; i < n; i++) {
		std::ostringstream text;

		text << "number " << i << std::string(size_t(i % 50), '.');
		numbers[i] = text.str();
	}
	return numbers;
}

bool are_numbers(const std::map<int, std::string> &numbers, int n)
{
	return numbers.size() == size_t(n) && numbers == make_numbers(n);
}

constexpr int nr_numbers = 3000;
const std::map<int, std::string> numbers = make_numbers(nr_numbers);
std::vector<std::string> words(1000, std::string(100, 'w'));

// Works from before main() until after it.
struct background {
	std::map<int, std::string> made;
	std::thread worker{[this] { made = make_numbers(nr_numbers); }};

	~background()
	{
		if (worker.joinable())
			worker.join();
		if (!are_numbers(made, nr_numbers))
			_exit(3);
	}
} background_work;

// Each thread's own objects, destroyed when it ends.
thread_local std::vector<std::unique_ptr<std::string>> own_strings;

void static_objects()
{
	CHECK(are_numbers(numbers, nr_numbers));
	CHECK(words.size() == 1000 && words[999] == std::string(100, 'w'));
	words.resize(5000, "more");
}

void thread_local_objects()
{
	for (int round = 0; round < 200; round++) {
		std::vector<std::thread> threads;

		for (int i = 0; i < 4; i++)
			threads.emplace_back([] {
				for (size_t n = 0; n < 100; n++)
					own_strings.push_back(
						std::make_unique<std::string>(n * 7, 'x'));
			});
		for (auto &thread : threads)
			thread.join();
	}
}

std::atomic<int> nr_late;

// Allocates when its thread ends, and again while libc calls the destructors of keys.
struct late_user {
	std::string *kept = new std::string(100, 'k');
	pthread_key_t key;

	static void free_late(void *value)
	{
		nr_late += are_numbers(make_numbers(50), 50) &&
			   *static_cast<std::string *>(value) == std::string(100, 'k');
		delete static_cast<std::string *>(value);
	}

	explicit late_user(pthread_key_t key) : key(key) {}

	~late_user()
	{
		nr_late += are_numbers(make_numbers(50), 50);
		nr_late += !pthread_setspecific(key, kept);
	}
};

void thread_local_destructors_allocate()
{
	constexpr int nr = 40;
	pthread_key_t key;

	REQUIRE(!pthread_key_create(&key, late_user::free_late));
	for (int i = 0; i < nr; i++) {
		std::thread thread([key] {
			thread_local late_user user(key);

			CHECK(*user.kept == std::string(100, 'k'));
		});

		thread.join();
	}
	CHECK(nr_late == 3 * nr, "; %d", nr_late.load());
	pthread_key_delete(key);
}

// The exit status after all destructors is what counts.
void destructors_after_main()
{
	struct child_again again = {"--exit", nullptr, nullptr, 0};
	struct child_result result;

	child_run(&result, child_exec_again, &again);
	CHECK(child_exited(result.status, 7), "; wait status %#x %s", result.status,
	      result.err);
}

} // namespace

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{"static_objects", static_objects, false},
		{"thread_local_objects", thread_local_objects, false},
		{"thread_local_destructors_allocate", thread_local_destructors_allocate, false},
		{"destructors_after_main", destructors_after_main, false},
	};

	if (argc > 1 && !strcmp(argv[1], "--exit"))
		return 7;
	return harness_main(argc, argv, cases, ARRAY_SIZE(cases));
}
