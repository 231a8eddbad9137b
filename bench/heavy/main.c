// SPDX-License-Identifier: MIT
/*
 * Runs one of the programs of heavy.h, for bench_heavy.py:
 *
 *	programs NAME [DIVISOR]
 *
 * Prints its sum, and its peak in KiB. With a DIVISOR it does that much less, for tests.
 */
#include "heavy.h"
#include "peak.h"

int main(int argc, char **argv)
{
	const struct heavy_program *program = argc > 1 ? heavy_find_program(argv[1]) : NULL;

	if (argc > 2)
		heavy_divisor = strtoul(argv[2], NULL, 10);
	if (program && heavy_divisor) {
		unsigned long long sum = program->run();

		printf("%llu %lu\n", sum, peak_kib());
		return 0;
	}
	fputs("usage: programs NAME [DIVISOR]; programs:", stderr);
	for (unsigned int i = 0; heavy_program(i); i++)
		fprintf(stderr, " %s", heavy_program(i)->name);
	fputs("\n", stderr);
	return 2;
}
