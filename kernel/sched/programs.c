// SPDX-License-Identifier: MIT
/*
 * Numbers of tasks, the list of all tasks, and tasks that stand for programs. cf. Linux
 * kernel/pid.c.
 *
 * A task of a program stands for a process of the machine that a module found by its number, or
 * whose operation is carried out, or for a parent of one. It stays, since nobody tells when the
 * program ends. It is known by its number and its start, since the system uses a number again.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/init_task.h>
#include <linux/kernel.h>
#include <linux/nsproxy.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>

#include "context.h"

/* What threads of a process share. Nobody takes it apart by tasks here. Sync: not written */
struct signal_struct usermm_signal_of_all = {
	.sigcnt = REFCOUNT_INIT(1), .live = ATOMIC_INIT(1), .nr_threads = 1,
};
#define SIGHAND_INIT(name, handler) {					\
		.siglock = __SPIN_LOCK_UNLOCKED(name.siglock), .count = REFCOUNT_INIT(1), \
		.signalfd_wqh = __WAIT_QUEUE_HEAD_INITIALIZER(name.signalfd_wqh), \
		.action = { [0 ... 63] = { { .sa_handler = (handler) } } },	\
	}
struct sighand_struct usermm_sighand = SIGHAND_INIT(usermm_sighand, SIG_DFL);
struct sighand_struct usermm_kthread_sighand = SIGHAND_INIT(usermm_kthread_sighand, SIG_IGN);

#define KERNEL_TASK_INIT(name, number, text) {				\
		.comm = text, .pid = (number), .tgid = (number), .flags = PF_KTHREAD, \
		.usage = REFCOUNT_INIT(2), .prio = DEFAULT_PRIO, .static_prio = DEFAULT_PRIO, \
		.normal_prio = DEFAULT_PRIO, .tasks = LIST_HEAD_INIT(name.tasks), \
		.children = LIST_HEAD_INIT(name.children), \
		.sibling = LIST_HEAD_INIT(name.sibling), .parent = &init_task, \
		.real_parent = &init_task, .group_leader = &(name), .active_mm = &init_mm, \
		.cred = &init_cred, .real_cred = &init_cred, .signal = &usermm_signal_of_all, \
		.sighand = &usermm_kthread_sighand, .files = &init_files, .fs = &init_fs, \
		.nsproxy = &init_nsproxy, .cgroups = &init_css_set, \
		.cg_list = LIST_HEAD_INIT(name.cg_list), .cpus_ptr = &(name).cpus_mask, \
		.cpus_mask = CPU_MASK_ALL, .nr_cpus_allowed = NR_CPUS, \
	}
struct task_struct init_task = KERNEL_TASK_INIT(init_task, 0, "swapper/0");
struct task_struct usermm_kthreadd = KERNEL_TASK_INIT(usermm_kthreadd, 2, "kthreadd");
rwlock_t tasklist_lock = __RW_LOCK_UNLOCKED(tasklist_lock);
/* Numbers that were asked for. They are few, and stay. */
struct known_pid {
	struct pid pid;
	struct known_pid *next;
};
static struct known_pid *known;		/* Sync: the registry's lock */

/* Call it under the registry's lock. */
static struct known_pid *find_known(const struct task_struct *task)
{
	struct known_pid *entry = known;

	while (entry && entry->pid.task != task)
		entry = entry->next;
	return entry;
}

/* The program's thread that began then. Call it under the registry's lock. */
static struct known_pid *find_program(int nr, unsigned long started)
{
	struct known_pid *entry = known;

	while (entry && (entry->pid.nr != nr || !entry->pid.task->usermm_process ||
			 entry->pid.task->usermm_started != started))
		entry = entry->next;
	return entry;
}

/* Call it under the registry's lock. */
static struct task_struct *find_thread(int nr)
{
	for (struct usermm_context *c = usermm_registry; c; c = c->next)
		if (c->task->pid == nr && !c->task->usermm_process)
			return c->task;
	return NULL;
}

/* The fields behind the name in parentheses, which may have spaces. */
void usermm_program_stat(int pid, struct program_stat *stat)
{
	char path[32] = "/proc/self/stat", text[1024];
	const char *at, *name;
	ssize_t bytes;
	char *end;
	int fd;

	*stat = (struct program_stat){ 0 };
	if (pid)
		snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	bytes = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[max(bytes, (ssize_t)0)] = '\0';
	name = strchr(text, '(');
	end = strrchr(text, ')');
	if (!name || !end || end[1] != ' ' || !end[2])
		return;
	snprintf(stat->comm, sizeof(stat->comm), "%.*s", (int)(end - name - 1), name + 1);
	at = end;
	stat->state = at[2];
	at += 3;
	for (int i = 4; i < (int)ARRAY_SIZE(stat->fields); i++, at = end) {
		stat->fields[i] = strtoul(at, &end, 10);
		if (end == at)
			return;
	}
}

unsigned long usermm_program_started(int nr)
{
	struct program_stat stat;

	if (nr <= 0)
		return 0;
	usermm_program_stat(nr, &stat);
	return stat.fields[STARTED];
}

bool usermm_task_is_alive(const struct task_struct *task)
{
	if (!task->usermm_process)
		return task == &init_task || task == &usermm_kthreadd;
	return task->usermm_started && usermm_program_started(task->pid) == task->usermm_started;
}

char usermm_program_state(const struct task_struct *task)
{
	struct program_stat stat;

	usermm_program_stat(task->pid, &stat);
	return stat.state && stat.fields[STARTED] == task->usermm_started ? stat.state : 'X';
}

/* A parent that is not seen here, as pid 1's and those outside of a container: init_task. */
static struct task_struct *parent_of(unsigned long pid)
{
	struct task_struct *task = pid ? find_task_by_vpid((int)pid) : NULL;

	return task ?: &init_task;
}

static struct task_struct *parent_of_process;	/* Sync: written once */

static void find_parent_of_process(void)
{
	parent_of_process = parent_of((unsigned long)getppid());
}

struct task_struct *usermm_process_parent(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, find_parent_of_process);
	return parent_of_process;
}

static bool has_ended(const struct program_stat *stat)
{
	return stat->state == 'Z' || stat->state == 'X';
}

static void mark_ended(struct task_struct *task)
{
	WRITE_ONCE(task->flags, task->flags | PF_EXITING);
	task->exit_state = EXIT_ZOMBIE;
	usermm_task_strip(task);
}

/* The task of a process's thread. */
static struct task_struct *program_task_new(int nr, int pid, const char *comm,
					    const struct program_stat *stat)
{
	struct task_struct *task;

	task = usermm_task_new(comm, (unsigned int)stat->fields[9] & PF_KTHREAD);
	if (!task)
		return NULL;
	task->pid = nr;
	task->tgid = pid;
	task->usermm_process = (unsigned int)pid;
	task->usermm_started = stat->fields[STARTED];
	task->parent = task->real_parent = parent_of(stat->fields[4]);
	if (nr != pid)
		task->group_leader = find_task_by_vpid(pid) ?: task;
	if (!(task->flags & PF_KTHREAD))
		task->mm = usermm_program_mm(pid, task->group_leader->usermm_started, stat);
	if (task->mm)
		task->active_mm = task->mm;
	if (has_ended(stat))
		mark_ended(task);
	return task;
}

/* Its parent may have ended since somebody looked. */
static void refresh_parent(struct task_struct *task, const struct program_stat *stat)
{
	if ((unsigned long)task->real_parent->pid == stat->fields[4])
		return;
	WRITE_ONCE(task->real_parent, parent_of(stat->fields[4]));
	WRITE_ONCE(task->parent, task->real_parent);
}

/* The program may have called execve(). */
static void refresh_memory(struct task_struct *task, const struct program_stat *stat)
{
	struct mm_struct *mm = task->mm;

	if (mm)
		mm = usermm_program_mm(task->tgid, task->group_leader->usermm_started, stat);
	if (!mm)
		return;
	WRITE_ONCE(task->mm, mm);
	WRITE_ONCE(task->active_mm, mm);
}

/* A task that carries out an operation here is left as the operation found it. */
static void refresh(struct task_struct *task, const struct program_stat *stat)
{
	if (READ_ONCE(task->context))
		return;
	set_task_comm(task, stat->comm);
	refresh_parent(task, stat);
	if (!has_ended(stat))
		refresh_memory(task, stat);
	else if (!(READ_ONCE(task->flags) & PF_EXITING))
		mark_ended(task);
}

/* The number of the thread's process, which is the number itself if nothing else is told. */
static int tgid_of(int nr)
{
	char path[32], line[128];
	int tgid = nr;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", nr);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Tgid: %d", &tgid) == 1)
			break;
	if (file)
		fclose(file);
	return tgid;
}

static struct task_struct *new_program(int nr, const struct program_stat *stat)
{
	return program_task_new(nr, tgid_of(nr), stat->comm, stat);
}

static struct pid *add_known(int nr, struct task_struct *task)
{
	struct known_pid *entry = task ? calloc(1, sizeof(*entry)) : NULL;

	if (!entry)
		return NULL;
	entry->pid = (struct pid){ nr, get_task_struct(task) };
	entry->next = known;
	known = entry;
	return &entry->pid;
}

struct pid *usermm_task_pid(struct task_struct *task)
{
	struct known_pid *entry;
	struct pid *pid;

	usermm_registry_lock();
	entry = find_known(task);
	pid = entry ? &entry->pid : add_known(task->pid, task);
	usermm_registry_unlock();
	return pid;
}

/*
 * The calling thread carries out an operation for a thread of a program, and becomes its task. If
 * another thread here is that already, the calling one gets a task that only looks the same.
 */
struct task_struct *usermm_program_enter(int tid, int pid, const char *comm)
{
	struct task_struct *task = NULL;
	struct program_stat stat;
	struct known_pid *entry;

	usermm_program_stat(tid, &stat);
	usermm_registry_lock();
	entry = find_program(tid, stat.fields[STARTED]);
	if (entry && !entry->pid.task->context) {
		task = get_task_struct(entry->pid.task);
		task->context = usermm_self();	/* no other thread takes it */
	}
	usermm_registry_unlock();
	if (!task) {
		task = program_task_new(tid, pid, comm, &stat);
		if (!task)
			abort();
		usermm_registry_lock();
		if (!find_program(tid, stat.fields[STARTED]))
			add_known(tid, task);
		usermm_registry_unlock();
	} else {
		refresh_parent(task, &stat);
		refresh_memory(task, &stat);
	}
	set_task_comm(task, comm);
	flush_signals(task);
	usermm_task_enter(task);
	return task;
}

/* The pid of a task of this process; NULL if none has the number. */
static struct pid *find_own(int nr)
{
	struct known_pid *entry;
	struct task_struct *task;
	struct pid *pid = NULL;

	usermm_registry_lock();
	task = find_thread(nr);
	if (task) {
		entry = find_known(task);
		pid = entry ? &entry->pid : add_known(nr, task);
	}
	usermm_registry_unlock();
	return pid;
}

struct pid *find_vpid(int nr)
{
	struct task_struct *task;
	struct program_stat stat;
	struct known_pid *entry;
	struct pid *pid = nr > 0 ? find_own(nr) : NULL;

	if (pid || nr <= 0)
		return pid;
	usermm_program_stat(nr, &stat);
	if (!stat.fields[STARTED] && kill(nr, 0) && errno == ESRCH)
		return NULL;
	usermm_registry_lock();
	entry = find_program(nr, stat.fields[STARTED]);
	usermm_registry_unlock();
	if (entry) {
		refresh(entry->pid.task, &stat);
		return &entry->pid;
	}
	task = new_program(nr, &stat);
	if (!task)
		return NULL;
	usermm_registry_lock();
	entry = find_program(nr, stat.fields[STARTED]);
	pid = entry ? &entry->pid : add_known(nr, task);
	usermm_registry_unlock();
	put_task_struct(task);
	return pid;
}
