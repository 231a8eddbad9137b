/* SPDX-License-Identifier: MIT */
#include "os/thread.h"

#include <errno.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/file.h"
#include "os/text.h"

uint32_t os_fork_generation;
static int own_process;			/* Sync: as os_fork_generation */

bool os_process_is_own(void)
{
	return own_process == os_current_process();
}

void os_process_set_own(void)
{
	own_process = os_current_process();
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

	/* Not by libc's function: musl has none that works. */
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

/* The number of threads is the 18th word behind the name, which is in parentheses. */
bool os_is_only_thread(void)
{
	char text[1024];
	const char *word;

	if (os_read_file("/proc/self/stat", text, sizeof(text)) <= 0)
		return false;
	word = strrchr(text, ')');
	word = text_skip_words(word, 18);
	return word && text_number(&word) == 1;
}

int os_current_process(void)
{
	/* Not getpid(): other preloaded libraries may define their own, which may allocate. */
	return (int)syscall(SYS_getpid);
}

void os_thread_name(char name[OS_NAME_BYTES])
{
	name[0] = '\0';
	prctl(PR_GET_NAME, name, 0, 0, 0);
}
