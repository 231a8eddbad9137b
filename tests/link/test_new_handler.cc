// SPDX-License-Identifier: MIT
//
// A C++ program that has a new-handler and throws nothing, so that linked statically it has
// nothing of the runtime that could: the handler is asked all the same.
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

	// There is no other way out of this one than the handler's.
	std::set_new_handler(end);
	operator delete(operator new(impossible));
	return 1;
}
