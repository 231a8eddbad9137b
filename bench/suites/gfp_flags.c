// SPDX-License-Identifier: MIT
/*
 * Suite gfp-flags: does it cost anything that the values of GFP bits and ALLOC bits are
 * independent? It compares conversions with equal results:
 *
 *	coupled		two ALLOC bits have the values of two GFP bits, and one mask converts both,
 *			as before seed 0
 *	explicit	the same values, but each bit is converted separately, as after seed 0
 *	library		the library's own conversion, whose values are unrelated
 *	tested		explicit, as the seed's source has it: if (bit) flags |= flag
 *
 * The values of all but `library` exist only in this file. Each conversion is measured alone and,
 * as in the seed, in a loop that allocates and frees. The library converts only on its slow path,
 * so this loop makes one additional conversion.
 *
 * The suite shows the machine code of each conversion. The conversions take turns. Each round gives
 * one difference at each code placement. The confidence interval comes from resampling the
 * placements and the rounds within them, since a loop's placement shifts all of its rounds alike.
 */
#include <math.h>
#include <string.h>

#include "bench.h"
#include "measure/counters.h"
#include "measure/disassembly.h"
#include "page/gfp.h"
#include "results.h"
#include "measure/timing.h"
#include "usermm/usermm.h"

#define INPUTS 1024
#define ROUNDS 60
#define RESAMPLES 1000
#define CONVERSIONS (16 * INPUTS)
#define LOOPS (4 * INPUTS)
#define LOOP_ORDER 3
/* The instructions for COUNTED inputs are counted, after those for NOT_COUNTED other inputs. */
#define COUNTED 256
#define NOT_COUNTED 32

/* These equal GFP bits by choice. The other values only have to differ from them. */
#define COUPLED_MIN_RESERVE ___GFP_HIGH
#define COUPLED_KSWAPD ___GFP_KSWAPD_RECLAIM
#define COUPLED_CPUSET 0x40u
#define COUPLED_NON_BLOCK 0x10u
#define COUPLED_HIGHATOMIC 0x200u
#define COUPLED_CMA 0x400u

struct input {
	gfp_t gfp;
	unsigned int order;
};

static struct input inputs[INPUTS];

/* The part that all conversions share. */
static __always_inline unsigned int common_flags(gfp_t gfp, unsigned int order,
						 unsigned int alloc_flags)
{
	if (!(gfp & __GFP_DIRECT_RECLAIM)) {
		if (!(gfp & __GFP_NOMEMALLOC)) {
			alloc_flags |= COUPLED_NON_BLOCK;
			if (order > 0 && (gfp & __GFP_HIGH))
				alloc_flags |= COUPLED_HIGHATOMIC;
		}
		if (gfp & __GFP_HIGH)
			alloc_flags &= ~COUPLED_CPUSET;
	}
	if (gfp_to_alloc_flags_cma(gfp))
		alloc_flags |= COUPLED_CMA;
	return alloc_flags;
}

static __always_inline unsigned int coupled_flags(gfp_t gfp, unsigned int order)
{
	unsigned int alloc_flags = COUPLED_CPUSET;

	alloc_flags |= gfp & (__GFP_HIGH | __GFP_KSWAPD_RECLAIM);
	return common_flags(gfp, order, alloc_flags);
}

static __always_inline unsigned int explicit_flags(gfp_t gfp, unsigned int order)
{
	unsigned int alloc_flags = COUPLED_CPUSET;

	alloc_flags |= flag_for_bit(gfp, __GFP_HIGH, COUPLED_MIN_RESERVE);
	alloc_flags |= flag_for_bit(gfp, __GFP_KSWAPD_RECLAIM, COUPLED_KSWAPD);
	return common_flags(gfp, order, alloc_flags);
}

static __always_inline unsigned int tested_flags(gfp_t gfp, unsigned int order)
{
	unsigned int alloc_flags = COUPLED_CPUSET;

	if (gfp & __GFP_HIGH)
		alloc_flags |= COUPLED_MIN_RESERVE;
	if (gfp & __GFP_KSWAPD_RECLAIM)
		alloc_flags |= COUPLED_KSWAPD;
	return common_flags(gfp, order, alloc_flags);
}

/* No conversion: the cost of the loop alone. */
static __always_inline unsigned int no_flags(gfp_t gfp, unsigned int order)
{
	return gfp + order;
}

#define CONVERT_BODY(function, rest)					\
	do {								\
		uint64_t start = ticks_begin();				\
									\
		for (unsigned long i = 0; i < run->n; i++) {		\
			struct input in = inputs[i % INPUTS];		\
			unsigned int flags;				\
									\
			__asm__ volatile("" : "+r"(in.gfp), "+r"(in.order)); \
			flags = function(in.gfp, in.order);		\
			__asm__ volatile("" : : "r"(flags));		\
			rest;						\
		}							\
		run->ticks[0] = ticks_end() - start;			\
	} while (0)

/* Seed 0's compound loop. */
static __always_inline bool allocate(void)
{
	unsigned long addr = __get_free_pages(GFP_KERNEL | __GFP_COMP, LOOP_ORDER);
	struct page *page;

	if (unlikely(!addr))
		return false;
	page = virt_to_page((void *)addr);
	get_page(page);
	free_pages(addr, LOOP_ORDER);
	put_page(page);
	return true;
}

#define CONVERT_LOOPS(name, function)					\
	BENCH_PLACED(name##_alone, CONVERT_BODY(function, (void)0));	\
	BENCH_PLACED(name##_loop, CONVERT_BODY(function, run->failed += !allocate()))

CONVERT_LOOPS(coupled, coupled_flags);
CONVERT_LOOPS(explicit, explicit_flags);
CONVERT_LOOPS(library, gfp_to_alloc_flags);
CONVERT_LOOPS(tested, tested_flags);
BENCH_PLACED(no_conversion, CONVERT_BODY(no_flags, (void)0));

enum variant { COUPLED, EXPLICIT, LIBRARY, TESTED, VARIANTS };
static const char *const variant_names[VARIANTS] = { "coupled", "explicit", "library", "tested" };

/* The conversions as functions, whose machine code is shown. */
#define CONVERSION(name, function)					\
	DISASSEMBLY_BOUNDS(gfp_flags_##name);				\
	DISASSEMBLY_SECTION(gfp_flags_##name)				\
	static unsigned int name##_conversion(gfp_t gfp, unsigned int order) \
	{								\
		return function(gfp, order);				\
	}

CONVERSION(coupled, coupled_flags)
CONVERSION(explicit, explicit_flags)
CONVERSION(library, gfp_to_alloc_flags)
CONVERSION(tested, tested_flags)

static struct json *print_code(struct bench *bench, enum variant v)
{
	static const struct {
		const char *start, *stop;
	} code[VARIANTS] = {
		{ __start_gfp_flags_coupled, __stop_gfp_flags_coupled },
		{ __start_gfp_flags_explicit, __stop_gfp_flags_explicit },
		{ __start_gfp_flags_library, __stop_gfp_flags_library },
		{ __start_gfp_flags_tested, __stop_gfp_flags_tested },
	};

	return disassembly_print(bench, variant_names[v], code[v].start, code[v].stop);
}

/* A small generator, so that every run gets the same sequence. */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void fill_inputs(void)
{
	static const gfp_t masks[] = {
		GFP_KERNEL, GFP_KERNEL, GFP_KERNEL, GFP_USER, GFP_NOFS, GFP_NOIO, GFP_ATOMIC,
		GFP_NOWAIT, GFP_HIGHUSER_MOVABLE, GFP_ATOMIC | __GFP_NOMEMALLOC,
		GFP_KERNEL | __GFP_COMP | __GFP_NORETRY, GFP_TRANSHUGE_LIGHT,
	};
	uint64_t state = 88172645463325252ull;

	for (unsigned int i = 0; i < INPUTS; i++) {
		inputs[i].gfp = masks[next_random(&state) % ARRAY_SIZE(masks)];
		inputs[i].order = next_random(&state) % 4 ? 0 : 3;
	}
}

static unsigned int translate(unsigned int coupled)
{
	return ALLOC_WMARK_MIN | (coupled & COUPLED_MIN_RESERVE ? ALLOC_MIN_RESERVE : 0) |
	       (coupled & COUPLED_KSWAPD ? ALLOC_KSWAPD : 0) |
	       (coupled & COUPLED_CPUSET ? ALLOC_CPUSET : 0) |
	       (coupled & COUPLED_NON_BLOCK ? ALLOC_NON_BLOCK : 0) |
	       (coupled & COUPLED_HIGHATOMIC ? ALLOC_HIGHATOMIC : 0) |
	       (coupled & COUPLED_CMA ? ALLOC_CMA : 0);
}

/* Do all conversions give equal results for every combination of the bits that they test? */
static bool same_meaning(void)
{
	static const gfp_t bits[] = { __GFP_HIGH, __GFP_KSWAPD_RECLAIM, __GFP_DIRECT_RECLAIM,
				      __GFP_NOMEMALLOC, __GFP_COMP, __GFP_MOVABLE };

	for (unsigned int set = 0; set < 1u << ARRAY_SIZE(bits); set++)
		for (unsigned int order = 0; order < 2; order++) {
			gfp_t gfp = 0;

			for (unsigned int i = 0; i < ARRAY_SIZE(bits); i++)
				if (set >> i & 1)
					gfp |= bits[i];
			if (coupled_flags(gfp, order) != explicit_flags(gfp, order) ||
			    coupled_flags(gfp, order) != tested_flags(gfp, order) ||
			    translate(coupled_flags(gfp, order)) !=
			    gfp_to_alloc_flags(gfp, order))
				return false;
		}
	return true;
}

struct steps {
	const bench_loop *loops;
	unsigned long n;
};

static void step_run(void *arg)
{
	const struct steps *steps = arg;
	struct bench_run run = { .n = steps->n };

	steps->loops[0](&run);
}

static double count(const bench_loop *loops, unsigned long n)
{
	struct steps steps = { .loops = loops, .n = n };

	return counters_available() ? bench_count_instructions(step_run, &steps) :
				      bench_step_instructions(step_run, &steps);
}

/* Instructions of one conversion alone, averaged over the inputs. */
static double conversion_instructions(const bench_loop *loops)
{
	double with = count(loops, NOT_COUNTED + COUNTED) - count(loops, NOT_COUNTED);
	double without = count(no_conversion, NOT_COUNTED + COUNTED) -
			 count(no_conversion, NOT_COUNTED);

	return (with - without) / COUNTED;
}

struct difference {
	double mean, low, high;
};

/* Computes the mean of the placements' medians, and its confidence interval by resampling. */
static struct difference resample(double samples[BENCH_PLACEMENTS][ROUNDS])
{
	static double means[RESAMPLES];
	struct difference result = { 0 };
	uint64_t state = 0x9e3779b97f4a7c15ull;
	double drawn[ROUNDS];

	for (unsigned int i = 0; i < RESAMPLES; i++) {
		means[i] = 0;
		for (unsigned int j = 0; j < BENCH_PLACEMENTS; j++) {
			double *place = samples[next_random(&state) % BENCH_PLACEMENTS];

			for (unsigned int k = 0; k < ROUNDS; k++)
				drawn[k] = place[next_random(&state) % ROUNDS];
			means[i] += bench_median(drawn, ROUNDS) / BENCH_PLACEMENTS;
		}
	}
	for (unsigned int place = 0; place < BENCH_PLACEMENTS; place++)
		result.mean += bench_median(samples[place], ROUNDS) / BENCH_PLACEMENTS;
	bench_median(means, RESAMPLES);		/* sorts the means */
	result.low = means[RESAMPLES * 25 / 1000];
	result.high = means[RESAMPLES * 975 / 1000 - 1];
	return result;
}

static double median_of_medians(double samples[BENCH_PLACEMENTS][ROUNDS])
{
	double places[BENCH_PLACEMENTS];

	for (unsigned int place = 0; place < BENCH_PLACEMENTS; place++)
		places[place] = bench_median(samples[place], ROUNDS);
	return bench_median(places, BENCH_PLACEMENTS);
}

/* Fills samples. The cases take turns, in an order that changes from round to round. */
static void measure(struct bench_case *cases, double samples[][BENCH_PLACEMENTS][ROUNDS])
{
	timing_pin(timing_cpu(0));
	for (unsigned int round = 0; round < ROUNDS; round++)
		for (unsigned int place = 0; place < BENCH_PLACEMENTS; place++)
			for (unsigned int i = 0; i < VARIANTS; i++) {
				unsigned int v = (i + round) % VARIANTS;

				samples[v][place][round] = bench_sample(&cases[v], place);
			}
}

/* Adds the row "difference...": one variant against the coupled one. */
static void add_difference(struct bench *bench, const char *name,
			   double (*samples)[BENCH_PLACEMENTS][ROUNDS], enum variant v,
			   double instructions, double pair)
{
	static double differences[BENCH_PLACEMENTS][ROUNDS];
	struct difference d;
	char pair_text[64];
	struct json *row;

	for (unsigned int place = 0; place < BENCH_PLACEMENTS; place++)
		for (unsigned int round = 0; round < ROUNDS; round++)
			differences[place][round] = samples[v][place][round] -
						    samples[COUPLED][place][round];
	d = resample(differences);
	row = results_add(bench, name, 1, d.mean);
	json_add_real(row, "mean", d.mean);
	json_add_real(row, "ci95_low", d.low);
	json_add_real(row, "ci95_high", d.high);
	json_add_real(row, "instructions_delta", instructions);
	if (isnan(pair))
		pair_text[0] = '\0';
	else
		snprintf(pair_text, sizeof(pair_text), ", %+.2f .. %+.2f %% of the loop",
			 100 * d.low / pair, 100 * d.high / pair);
	bench_print(bench, "%-24s %+7.2f cycles, 95 %% interval %+.2f .. %+.2f%s: %s\n", name,
		    d.mean, d.low, d.high, pair_text,
		    d.low <= 0 && d.high >= 0 ? "within the noise" : "more than the noise");
}

/*
 * Adds rows for all variants, with names that end in suffix; with machine code unless code is NULL.
 */
static void compare(struct bench *bench, const char *suffix, struct bench_case *cases,
		    struct json *const *code)
{
	static double samples[VARIANTS][BENCH_PLACEMENTS][ROUNDS];
	static double copy[BENCH_PLACEMENTS][ROUNDS];
	double pair = NAN;
	char name[40];
	struct json *row;

	measure(cases, samples);
	for (unsigned int v = 0; v < VARIANTS; v++) {
		double cycles;

		memcpy(copy, samples[v], sizeof(copy));
		cycles = median_of_medians(copy);
		if (v == COUPLED && !code)	/* the loops that allocate */
			pair = cycles;
		snprintf(name, sizeof(name), "%s%s", variant_names[v], suffix);
		row = results_add_counted(bench, name, 1, cycles, cases[v].instructions);
		if (code)
			json_add(row, "disassembly", code[v]);
		bench_print(bench, "%-24s %7s cycles %8s ns %6s instructions\n", name,
			    show_cycles(cycles), show_ns(cycles),
			    show_cycles(cases[v].instructions));
	}
	for (unsigned int v = EXPLICIT; v < VARIANTS; v++) {
		snprintf(name, sizeof(name), "difference%s%s%s", v == EXPLICIT ? "" : "_",
			 v == EXPLICIT ? "" : variant_names[v], suffix);
		add_difference(bench, name, samples, v,
			       cases[v].instructions - cases[COUPLED].instructions, pair);
	}
}

void bench_gfp_flags(struct bench *bench)
{
	static const bench_loop *const alone[VARIANTS] = { coupled_alone, explicit_alone,
							   library_alone, tested_alone };
	static const bench_loop *const loop[VARIANTS] = { coupled_loop, explicit_loop,
							  library_loop, tested_loop };
	struct bench_case cases[VARIANTS];
	struct json *code[VARIANTS];

	fill_inputs();
	if (!same_meaning()) {
		bench_print(bench, "the conversions disagree: nothing to compare\n");
		return;
	}
	bench_print(bench, "The machine code:\n");
	for (unsigned int v = 0; v < VARIANTS; v++)
		code[v] = print_code(bench, (enum variant)v);
	bench_print(bench, "The conversion alone:\n");
	for (unsigned int v = 0; v < VARIANTS; v++)
		cases[v] = (struct bench_case){
			.loops = alone[v], .n = CONVERSIONS, .bare = 1,
			.instructions = conversion_instructions(alone[v]),
		};
	compare(bench, "", cases, code);
	bench_print(bench, "With an allocation and its free (seed: \"a wash\"; COMP 239.98 -> "
			   "235.49 ns, non-COMP 3543.00 -> 3586.95 ns):\n");
	for (unsigned int v = 0; v < VARIANTS; v++)
		cases[v] = (struct bench_case){ .loops = loop[v], .n = LOOPS, .bare = 1,
						.instructions = NAN };
	compare(bench, "_loop", cases, NULL);
}
