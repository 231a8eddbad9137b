/* SPDX-License-Identifier: MIT */
/* Facts about the machine and the limits that the process lives under. */
#ifdef __x86_64__
#include <cpuid.h>
#endif
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

#include "base/fmt.h"
#include "os/os.h"
#include "os/text.h"

#define PATH_BYTES 512

extern char **environ;

uint32_t os_fork_generation;
const char *os_root = "";

long os_read_fact(const char *path, char *buffer, size_t size)
{
	char below_root[PATH_BYTES];

	if (!*os_root)
		return os_read_file(path, buffer, size);
	fmt_format(below_root, sizeof(below_root), "%s%s", os_root, path);
	return os_read_file(below_root, buffer, size);
}

static int own_process;			/* Sync: as os_fork_generation */

bool os_process_is_own(void)
{
	return own_process == os_current_process();
}

void os_process_set_own(void)
{
	own_process = os_current_process();
}

static unsigned int kernels_current_cpu(void)
{
	int cpu = sched_getcpu();

	return cpu < 0 ? 0 : (unsigned int)cpu;
}

enum os_rdpid os_rdpid;

/*
 * Each look at the processor's features is a trap where there is a hypervisor, of five microseconds
 * and more. The compiler's __builtin_cpu_supports() would make a dozen whenever the library is
 * loaded.
 */
#ifdef __x86_64__
#define CPUID_LEAF_FEATURES 1
#define CPUID_LEAF_MORE_FEATURES 7
#define XCR0_SSE_AND_AVX 6

/* Where there is no such instruction it is another, and says 0. */
static bool look_at_lzcnt(void)
{
	unsigned long zeros;

	__asm__("lzcnt %[one], %[zeros]" : [zeros] "=r"(zeros) : [one] "r"(1UL) : "cc");
	return zeros == 63;
}

static bool look_at_avx2(void)
{
	unsigned int eax, ebx, ecx, edx;

	if (!__get_cpuid(CPUID_LEAF_FEATURES, &eax, &ebx, &ecx, &edx) || !(ecx & bit_OSXSAVE))
		return false;
	/* The registers that the system keeps. */
	__asm__ volatile("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
	return (eax & XCR0_SSE_AND_AVX) == XCR0_SSE_AND_AVX &&
	       __get_cpuid_count(CPUID_LEAF_MORE_FEATURES, 0, &eax, &ebx, &ecx, &edx) &&
	       (ebx & bit_AVX2) && look_at_lzcnt();
}

/* What only looks like Linux may keep something else there. */
static bool look_at_rdpid(void)
{
	unsigned int eax, ebx, ecx = 0, edx;

	if (!__get_cpuid_count(CPUID_LEAF_MORE_FEATURES, 0, &eax, &ebx, &ecx, &edx) ||
	    !(ecx & bit_RDPID))
		return false;
	for (unsigned int tries = 0; tries < 3; tries++)	/* the thread may move */
		if (os_read_rdpid() == kernels_current_cpu())
			return true;
	return false;
}
#else
static bool look_at_avx2(void)
{
	return false;
}

static bool look_at_rdpid(void)
{
	return false;
}
#endif

bool os_has_avx2(void)
{
	/* Sync: atomic relaxed; found out by the first call */
	static enum { UNKNOWN, IS_THERE, IS_NOT } avx2;

	if (atomic_load_relaxed(&avx2) == UNKNOWN)
		atomic_store_relaxed(&avx2, look_at_avx2() ? IS_THERE : IS_NOT);
	return atomic_load_relaxed(&avx2) == IS_THERE;
}

unsigned int os_current_cpu_slow(void)
{
	if (atomic_load_relaxed(&os_rdpid) == OS_RDPID_UNKNOWN)
		atomic_store_relaxed(&os_rdpid,
				     look_at_rdpid() ? OS_RDPID_IS_CPU : OS_RDPID_IS_NOT);
	return kernels_current_cpu();
}

int os_current_thread(void)
{
	return (int)syscall(SYS_gettid);
}

bool os_thread_is_realtime(void)
{
	int saved_errno = errno;
	long policy = syscall(SYS_sched_getscheduler, 0);

	errno = saved_errno;
	return policy == SCHED_FIFO || policy == SCHED_RR || policy == SCHED_DEADLINE;
}

void os_thread_make_ordinary(void)
{
	struct sched_param none = { 0 };
	int saved_errno = errno;

	/* Not libc's function, which musl does not have. */
	if (os_thread_is_realtime())
		syscall(SYS_sched_setscheduler, 0, SCHED_OTHER, &none);
	errno = saved_errno;
}

void os_page_faults(unsigned long *all, unsigned long *major)
{
	struct rusage usage = { 0 };

	getrusage(RUSAGE_SELF, &usage);
	*major = (unsigned long)usage.ru_majflt;
	*all = *major + (unsigned long)usage.ru_minflt;
}

int os_current_process(void)
{
	/* Not getpid(): libraries that are preloaded as well have their own, which may allocate. */
	return (int)syscall(SYS_getpid);
}

uint64_t os_memory_bytes(void)
{
	struct sysinfo info;

	if (sysinfo(&info))
		return 4 * GIB;
	return ((uint64_t)info.totalram + info.totalswap) * info.mem_unit;
}

static void take_smaller(struct os_limit *limit, uint64_t bytes, const char *source)
{
	if (bytes < limit->bytes) {
		limit->bytes = bytes;
		limit->source = source;
	}
}

/* One cgroup directory's limit file; "max" and absent files are no limit. */
static void take_cgroup_file(struct os_limit *limit, const char *directory, const char *file,
			     const char *source)
{
	char path[PATH_BYTES], text[64];
	const char *end = text;
	uint64_t bytes;

	fmt_format(path, sizeof(path), "%s/%s", directory, file);
	if (os_read_fact(path, text, sizeof(text)) <= 0)
		return;
	bytes = text_number(&end);
	if (end > text)		/* else it is "max" */
		take_smaller(limit, bytes, source);
}

/* The cgroup's own limit and those of all its parents. */
static void take_cgroup(struct os_limit *limit, const char *mount, const char *group,
			size_t group_length, const char *file, const char *source)
{
	char directory[PATH_BYTES];
	size_t mount_length = strlen(mount);

	if (mount_length + group_length + 1 > sizeof(directory))
		return;
	if (group_length == 1)		/* "/" is the mount itself */
		group_length = 0;
	memcpy(directory, mount, mount_length);
	memcpy(directory + mount_length, group, group_length);
	directory[mount_length + group_length] = '\0';
	for (;;) {
		char *slash;

		take_cgroup_file(limit, directory, file, source);
		slash = strrchr(directory, '/');
		if (!slash || (size_t)(slash - directory) < mount_length)
			break;
		*slash = '\0';
	}
}

/* Lines of /proc/self/cgroup: "number:controllers:path". */
static void take_cgroups(struct os_limit *limit)
{
	char text[4096];
	char *line = text;

	if (os_read_fact("/proc/self/cgroup", text, sizeof(text)) <= 0)
		return;
	while (*line) {
		size_t length = strcspn(line, "\n");
		char *controllers = memchr(line, ':', length);
		char *group = controllers ? strchr(controllers + 1, ':') : NULL;
		char *end = line + length;

		if (group && group < end) {
			*group++ = '\0';
			if (!controllers[1])
				take_cgroup(limit, "/sys/fs/cgroup", group, (size_t)(end - group),
					    "memory.max", "memory cgroup v2");
			else if (strstr(controllers + 1, "memory"))
				take_cgroup(limit, "/sys/fs/cgroup/memory", group,
					    (size_t)(end - group), "memory.limit_in_bytes",
					    "memory cgroup v1");
		}
		line = end + (*end == '\n');
	}
}

static uint64_t resource_limit(int resource)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	return limit.rlim_cur;
}

uint64_t os_address_space_limit(void)
{
	return resource_limit(RLIMIT_AS);
}

uint64_t os_data_limit(void)
{
	return resource_limit(RLIMIT_DATA);
}

/* A cpuset may leave a part of the nodes; swap is everybody's. */
static void take_cpuset(struct os_limit *limit)
{
	uint64_t with_memory = os_nodes_of_memory(), nodes, all = 0, allowed = 0;

	if (!(with_memory & (with_memory - 1)))
		return;
	nodes = os_nodes_with_memory();
	for (unsigned int node = 0; node < OS_NODES; node++) {
		uint64_t bytes = with_memory >> node & 1 ? os_node_bytes(node) : 0;

		all += bytes;
		allowed += nodes >> node & 1 ? bytes : 0;
	}
	if (allowed && allowed < all && all - allowed < limit->bytes)
		take_smaller(limit, limit->bytes - (all - allowed), "cpuset");
}

void os_memory_limit(struct os_limit *limit)
{
	limit->bytes = os_memory_bytes();
	limit->source = "RAM and swap";
	take_cpuset(limit);
	take_smaller(limit, os_address_space_limit(), "RLIMIT_AS");
	take_smaller(limit, os_data_limit(), "RLIMIT_DATA");
	take_cgroups(limit);
}

uint64_t os_random(void)
{
	int saved_errno = errno;
	struct timespec now;
	const uint64_t *given;
	uint64_t value;

	/* Nor getrandom(). */
	if (syscall(SYS_getrandom, &value, sizeof(value), GRND_NONBLOCK) == sizeof(value))
		return value;
	errno = saved_errno;
	/* No entropy yet: what the kernel gave this process at start, and time. */
	given = (const uint64_t *)getauxval(AT_RANDOM);
	clock_gettime(CLOCK_MONOTONIC, &now);
	value = (uint64_t)now.tv_nsec * 0x9e3779b97f4a7c15UL;
	return given ? value ^ given[0] : value;
}

uint64_t os_time_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

uint64_t os_time_ns(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void os_thread_name(char name[OS_NAME_BYTES])
{
	name[0] = '\0';
	prctl(PR_GET_NAME, name, 0, 0, 0);
}

void os_sleep_us(unsigned int microseconds)
{
	struct timespec time = { microseconds / 1000000, microseconds % 1000000 * 1000 };
	int saved_errno = errno;

	/* Not nanosleep(), which is a cancellation point. */
	syscall(SYS_nanosleep, &time, NULL);
	errno = saved_errno;
}

/* Is the entry this variable's? Then its value's length, else -1. */
static long copy_value(const char *entry, const char *name, size_t name_length, char *value,
		       size_t size)
{
	if (strncmp(entry, name, name_length) || entry[name_length] != '=')
		return -1;
	return (long)fmt_format(value, size, "%s", entry + name_length + 1);
}

static long find_value(char **entries, const char *name, size_t name_length, char *value,
		       size_t size)
{
	long length = -1;

	for (; *entries && length < 0; entries++)
		length = copy_value(*entries, name, name_length, value, size);
	return length;
}

#ifdef __GLIBC__
/* The loader's: where the kernel has put the number of arguments. NULL in a program without one. */
extern void *__libc_stack_end __attribute__((__weak__));

/* Behind that come the arguments and a NULL, and then this. NULL if that is not what is there. */
static char **first_environment(void)
{
	const long *nr = &__libc_stack_end ? __libc_stack_end : NULL;
	char **arguments;

	if (!nr || *nr < 0)
		return NULL;
	arguments = (char **)(nr + 1);
	return arguments[*nr] ? NULL : arguments + *nr + 1;
}
#else
static char **first_environment(void)
{
	return NULL;
}
#endif

/* The kernel's copy, of which what comes first is looked at. */
static long environment_file(const char *name, size_t name_length, char *value, size_t size)
{
	char text[8192];
	long bytes = os_read_file("/proc/self/environ", text, sizeof(text)), length = -1;

	for (char *entry = text; bytes > 0 && length < 0 && entry < text + bytes;
	     entry += strlen(entry) + 1)
		length = copy_value(entry, name, name_length, value, size);
	return length;
}

long os_environment(const char *name, char *value, size_t size)
{
	size_t name_length = strlen(name);
	char **entries = environ;

	if (getauxval(AT_SECURE))
		return -1;
	if (!entries)		/* libc has not run yet */
		entries = first_environment();
	return entries ? find_value(entries, name, name_length, value, size) :
			 environment_file(name, name_length, value, size);
}

FOR_KERNEL(os_environment);
