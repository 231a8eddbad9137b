// SPDX-License-Identifier: MIT
/* What CPUs and tasks spent their time on: linux/kernel_stat.h and linux/sched/cputime.h. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <linux/compiler.h>
#include <linux/kernel_stat.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/sched/cputime.h>

/* Of "cpu0 1 2 ...": the columns of /proc/stat. */
static const enum cpu_usage_stat columns[] = {
	CPUTIME_USER, CPUTIME_NICE, CPUTIME_SYSTEM, CPUTIME_IDLE, CPUTIME_IOWAIT, CPUTIME_IRQ,
	CPUTIME_SOFTIRQ, CPUTIME_STEAL, CPUTIME_GUEST, CPUTIME_GUEST_NICE,
};

static void take_line(struct kernel_cpustat *stat, const char *numbers)
{
	u64 tick = NSEC_PER_SEC / (u64)sysconf(_SC_CLK_TCK);
	char *end;

	for (unsigned int i = 0; i < ARRAY_SIZE(columns); i++) {
		u64 ticks = strtoull(numbers, &end, 10);

		if (end == numbers)
			return;
		WRITE_ONCE(stat->cpustat[columns[i]], ticks * tick);
		numbers = end;
	}
}

struct kernel_cpustat *usermm_cpustat(int cpu)
{
	static struct kernel_cpustat stats[NR_CPUS];
	FILE *file = fopen("/proc/stat", "re");
	char line[256];
	char *end;

	if (!file)
		return &stats[cpu];
	/* The first line, "cpu  ...", is the sum; those of the CPUs follow. */
	while (fgets(line, sizeof(line), file) && line[0] == 'c') {
		if (line[3] == ' ' || strtol(line + 3, &end, 10) != cpu)
			continue;
		take_line(&stats[cpu], end);
		break;
	}
	fclose(file);
	return &stats[cpu];
}

/* The kernel's clocks of a thread or a process, by its number (cf. pthread_getcpuclockid(3)). */
enum { CLOCK_USER_AND_SYSTEM, CLOCK_USER, CLOCK_RAN, CLOCK_OF_THREAD = 4 };

static u64 read_clock(pid_t pid, unsigned int which)
{
	struct timespec time;

	if (clock_gettime((clockid_t)(~(unsigned int)pid << 3 | which), &time))
		return 0;
	return (u64)ktime_set(time.tv_sec, time.tv_nsec);
}

void task_cputime_adjusted(struct task_struct *task, u64 *user, u64 *system)
{
	pid_t program = (pid_t)task->usermm_process, pid = program ? program : task->pid;
	unsigned int of = program ? 0 : CLOCK_OF_THREAD;
	u64 ran, in_user, counted;

	*user = *system = 0;
	if (pid <= 0)		/* would be the caller's clock */
		return;
	in_user = read_clock(pid, of | CLOCK_USER);
	counted = read_clock(pid, of | CLOCK_USER_AND_SYSTEM);
	ran = read_clock(pid, of | CLOCK_RAN);
	/* The ticks only give the share; all is user time before the first tick in the system. */
	*user = counted > in_user ? mul_u64_u64_div_u64(ran, in_user, counted) : ran;
	*system = ran - *user;
}

void thread_group_cputime_adjusted(struct task_struct *task, u64 *user, u64 *system)
{
	task_cputime_adjusted(task, user, system);
}
