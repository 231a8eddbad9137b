/* SPDX-License-Identifier: MIT */
/*
 * The table of kernels that do not restart sequences as they must. A row ends at the first version
 * that is sound again. So a new kernel is trusted until it is known to be bad; a row without an end
 * would outlive the fault. The options rseq=cpu_id and rseq=mm_cid overrule the table.
 * `usermm selftest percpu` shows whether a kernel is sound.
 */
#include "percpu/rseq/known_bugs.h"

#include "base/compiler.h"
#include "base/text.h"

struct version {
	unsigned int part[3];
};

struct bad_kernels {
	const char *machine;
	struct version from, before;
	const char *fault;
};

/*
 * The kernel's entry code does not tell rseq that user space was interrupted, so no sequence is
 * restarted. The fault came with 6.19, by commit 39a167560a61 ("rseq: Optimize event setting").
 * Commit 411c1cf43039 ("arm64/entry: Fix arm64-specific rseq brokenness") mended it in 7.1 and
 * 7.0.14; 6.19.y had ended before. Debian's 6.19.6 to 7.0.13 were found bad, 6.18.15 and 7.1.3 to
 * 7.3.4 sound. 7.0.14 itself could not be tested. `make test-kernels KERNELS="--all arm64"` tests
 * all of this again.
 */
static const char arm64_fault[] =
	"this kernel restarts no sequence (arm64, Linux 6.19 to 7.0.13; 7.0.14 and 7.1 do), so "
	"slots have locks; rseq=cpu_id or rseq=mm_cid uses sequences all the same";

static const struct bad_kernels bad_kernels[] = {
	{ "aarch64", { { 6, 19, 0 } }, { { 7, 0, 14 } }, arm64_fault },
};

/* "6.12.38+deb13-arm64" is 6.12.38. Missing parts are 0. */
static struct version parse(const char *release)
{
	struct version version = { { 0 } };

	for (unsigned int i = 0; i < ARRAY_SIZE(version.part); i++) {
		for (; *release >= '0' && *release <= '9'; release++)
			version.part[i] = version.part[i] * 10 + (unsigned int)(*release - '0');
		if (*release != '.')
			break;
		release++;
	}
	return version;
}

static bool is_before(const struct version *a, const struct version *b)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(a->part); i++)
		if (a->part[i] != b->part[i])
			return a->part[i] < b->part[i];
	return false;
}

const char *known_bugs_of_rseq(const char *machine, const char *release)
{
	struct version version = parse(release);

	for (unsigned int i = 0; i < ARRAY_SIZE(bad_kernels); i++) {
		const struct bad_kernels *bad = &bad_kernels[i];

		if (!strcmp(machine, bad->machine) && !is_before(&version, &bad->from) &&
		    is_before(&version, &bad->before))
			return bad->fault;
	}
	return NULL;
}
