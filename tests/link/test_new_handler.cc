// SPDX-License-Identifier: MIT
//
// A C++ program that has a new-handler and throws nothing. Linked statically it contains no part of
// the runtime that throws. The handler is called all the same.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace {

volatile std::size_t impossible = SIZE_MAX / 2;
int calls;
bool good = true;

void give_up_at_third_call()
{
	if (++calls == 3)
		std::set_new_handler(nullptr);
}

template <typename Function> bool asks_and_fails(Function function)
{
	calls = 0;
	std::set_new_handler(give_up_at_third_call);
	return !function() && calls == 3;
}

[[noreturn]] void end()
{
	std::printf("%d passed, %d failed\n", good, !good);
	std::exit(!good);
}

} // namespace

int main()
{
	std::align_val_t align{64};

	good = asks_and_fails([] { return operator new(impossible, std::nothrow); }) &&
	       asks_and_fails([] { return operator new[](impossible, std::nothrow); }) &&
	       asks_and_fails([&] { return operator new(impossible, align, std::nothrow); }) &&
	       asks_and_fails([&] { return operator new[](impossible, align, std::nothrow); }) &&
	       !operator new(impossible, std::nothrow);

	// operator new can only end by the handler here.
	std::set_new_handler(end);
	operator delete(operator new(impossible));
	return 1;
}
