// SPDX-License-Identifier: MIT
//
// A C++ program that needs little of the runtime, so that linked statically it has little of it:
// neither std::__throw_bad_alloc() nor, in any part, std::set_new_handler().
#include <cstdint>
#include <cstdio>
#include <new>

namespace {

volatile std::size_t impossible = SIZE_MAX / 2;
volatile std::size_t bad_align = 24;	// the compiler would warn of a constant

template <typename Function> bool throws(Function function)
{
	try {
		function();
	} catch (const std::bad_alloc &error) {
		return error.what()[0] != '\0';
	}
	return false;
}

} // namespace

int main()
{
	std::align_val_t align{64};
	bool good = throws([] { operator delete(operator new(impossible)); }) &&
		    throws([] { operator delete[](operator new[](impossible)); }) &&
		    throws([&] { operator delete(operator new(impossible, align), align); }) &&
		    throws([] { operator delete(operator new(1, std::align_val_t(bad_align))); }) &&
		    !operator new(impossible, std::nothrow) &&
		    !operator new[](impossible, align, std::nothrow);

	std::printf("%d passed, %d failed\n", good, !good);
	return !good;
}
