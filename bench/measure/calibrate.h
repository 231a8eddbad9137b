/* SPDX-License-Identifier: MIT */
/*
 * Three yardsticks of the machine, measured without the library. Costs are also given as multiples
 * of them, since absolute times differ between machines.
 */
#ifndef BENCH_CALIBRATE_H
#define BENCH_CALIBRATE_H

#define MAX_CALIBRATIONS 32

/* One round of measurements. NaN: cannot be measured. */
struct yardsticks {
	double rseq_pair_cycles;	/* R: pop and push on a per-CPU array */
	double locked_add_cycles;	/* L: an uncontended locked add */
	double memset_page_cycles;	/* Z: memset of a page that is in the cache */
};

struct calibration {
	struct yardsticks median;	/* of all rounds so far */
	struct yardsticks rounds[MAX_CALIBRATIONS];
	unsigned int nr;
	const char *rseq_absent;	/* why R is NaN; NULL if R is a number */
};

/*
 * Measures one more round. A shared machine changes its speed during a run, so this is called at
 * the start and after each suite.
 */
void calibrate(struct calibration *calibration);

#endif
