/* SPDX-License-Identifier: MIT */
#include "malloc/profile/probes.h"

#include "base/compiler.h"

/*
 * The notes have the format of SystemTap's probes, version 3 (cf. readelf -n; the header sys/sdt.h
 * of SystemTap makes the same). They are written here, so that each build has them, also where that
 * header is not installed.
 *
 * A note has the address of the section .stapsdt.base as the linker knew it. Tools compare it with
 * the section's real address, and so notice a file whose addresses were changed later. The symbol
 * _.stapsdt.base has to be the section's first byte. All objects of a file that have probes share
 * the symbol; so in the archives it is still weak, and not local (CMakeLists.txt).
 */
__asm__(".pushsection .stapsdt.base, \"aR\", @progbits\n"
	".weak _.stapsdt.base\n"
	".hidden _.stapsdt.base\n"
	"_.stapsdt.base:\n"
	".space 1\n"
	".size _.stapsdt.base, 1\n"
	".popsection\n");

#ifdef __s390x__
#define NOP "nop 0\n"
#else
#define NOP "nop\n"
#endif

/* where: a text that names the arguments, each as its bytes, "@", and a register. */
#define PROBE(name, where, ...)							\
	__asm__ volatile("990:\n" NOP						\
		".pushsection .note.stapsdt, \"\", @note\n"			\
		".balign 4\n"							\
		".4byte 992f - 991f, 995f - 993f, 3\n"				\
		"991: .asciz \"stapsdt\"\n"					\
		"992: .balign 4\n"						\
		"993: .8byte 990b, _.stapsdt.base, 0\n"				\
		".asciz \"otel_memory\"\n"					\
		".asciz \"" name "\"\n"						\
		".asciz \"" where "\"\n"					\
		"995: .balign 4\n"						\
		".popsection\n"							\
		: : __VA_ARGS__)

/*
 * Each probe has a function of its own, for two reasons. The library then has each probe only once.
 * And the arguments are in the registers of a call, where profilers look that do not read the
 * note's text.
 */
slow_path void profile_probe_alloc(const void *block, size_t size, uint64_t weight)
{
	PROBE("alloc", "8@%0 8@%1 8@%2", "r" (block), "r" (size), "r" (weight));
}

slow_path void profile_probe_free(const void *block)
{
	PROBE("free", "8@%0", "r" (block));
}

/* 1 - exp(-x), to nine digits: twice the x makes a chance of c one of c * (2 - c). */
static double chance_of(double x)
{
	unsigned int halvings = 0;
	double chance;

	for (; x > 1.0 / 1024; x /= 2)
		halvings++;
	chance = x - x * x / 2 + x * x * x / 6;
	for (; halvings; halvings--)
		chance *= 2 - chance;
	return chance;
}

uint64_t profile_weight(size_t size, size_t distance)
{
	return (uint64_t)((double)size / chance_of((double)size / (double)distance) + 0.5);
}
