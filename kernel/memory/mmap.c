// SPDX-License-Identifier: MIT
/* The memory of this process, and of programs, as a task's: see struct mm_struct and find_vma(). */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "sched/context.h"

struct mm_struct init_mm = {
	.mm_count = ATOMIC_INIT(1), .mm_users = ATOMIC_INIT(1),
};
static pgd_t no_tables;
static pthread_once_t filled = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* An area that was handed out. It stays, since no call gives an area back. */
struct known_area {
	struct vm_area_struct vma;
	struct known_area *next;
};
#define MAX_AREAS 16384			/* of one memory */

/* A program's. Sync: the lists are under the lock */
struct program_mm {
	struct mm_struct mm;
	int pid;
	unsigned long started;
	struct program_mm *next;
	struct known_area *areas;
	unsigned int nr_areas;
};
#define MM_INIT {							\
		.mm_count = ATOMIC_INIT(1), .mm_users = ATOMIC_INIT(1), .pgd = &no_tables, \
		.task_size = 1UL << 47,					\
	}
static struct program_mm process = { .mm = MM_INIT };	/* its pid is 0, and it is not listed */
static struct program_mm *programs;

/* What /proc/PID/stat tells. cf. proc(5). */
static void fill_from(struct mm_struct *mm, const struct program_stat *stat)
{
	spin_lock_init(&mm->page_table_lock);
	spin_lock_init(&mm->arg_lock);
	init_rwsem(&mm->mmap_lock);
	mm->total_vm = stat->fields[23] >> PAGE_SHIFT;
	mm->start_code = stat->fields[26];
	mm->end_code = stat->fields[27];
	mm->start_stack = stat->fields[28];
	mm->start_data = stat->fields[45];
	mm->end_data = stat->fields[46];
	mm->start_brk = mm->brk = stat->fields[47];
	mm->arg_start = stat->fields[48];
	mm->arg_end = stat->fields[49];
	mm->env_start = stat->fields[50];
	mm->env_end = stat->fields[51];
	mm->map_count = 1;
}

static void fill(void)
{
	struct program_stat stat;

	usermm_program_stat(0, &stat);
	fill_from(&process.mm, &stat);
}

struct mm_struct *usermm_process_mm(void)
{
	pthread_once(&filled, fill);
	return &process.mm;
}

/* With execve() a program gets other addresses, unless the system does not spread them. */
static bool is_of(const struct program_mm *program, unsigned long started,
		  const struct program_stat *stat)
{
	return program->started == started && program->mm.start_code == stat->fields[26] &&
	       program->mm.start_stack == stat->fields[28] &&
	       program->mm.arg_start == stat->fields[48];
}

static struct program_mm *find_program(int pid, unsigned long started,
				       const struct program_stat *stat)
{
	struct program_mm *program = programs;

	while (program && (program->pid != pid || !is_of(program, started, stat)))
		program = program->next;
	return program;
}

struct mm_struct *usermm_program_mm(int pid, unsigned long started,
				    const struct program_stat *stat)
{
	struct program_mm *program, *made;

	if (pid == getpid())
		return usermm_process_mm();
	pthread_mutex_lock(&lock);
	program = find_program(pid, started, stat);
	pthread_mutex_unlock(&lock);
	if (program)
		return &program->mm;
	made = calloc(1, sizeof(*made));
	if (!made)
		return NULL;
	made->mm = (struct mm_struct)MM_INIT;
	made->pid = pid;
	made->started = started;
	fill_from(&made->mm, stat);
	pthread_mutex_lock(&lock);
	program = find_program(pid, started, stat);
	if (!program) {
		made->next = programs;
		programs = program = made;
		made = NULL;
	}
	pthread_mutex_unlock(&lock);
	free(made);
	return &program->mm;
}

/* NULL: nobody's. */
static struct program_mm *program_of(const struct mm_struct *mm)
{
	struct program_mm *program;

	if (mm == &process.mm)
		return &process;
	pthread_mutex_lock(&lock);
	program = programs;
	while (program && &program->mm != mm)
		program = program->next;
	pthread_mutex_unlock(&lock);
	return program;
}

/*
 * The list of areas of this process or of the program; NULL if the program does not have this
 * memory any more. The open file is one memory's, so look at the program afterwards.
 */
static FILE *open_maps(const struct program_mm *program)
{
	char path[32] = "/proc/self/maps";
	struct program_stat stat;
	FILE *file;

	if (program->pid)
		snprintf(path, sizeof(path), "/proc/%d/maps", program->pid);
	file = fopen(path, "re");
	if (!file || !program->pid)
		return file;
	usermm_program_stat(program->pid, &stat);
	if (is_of(program, program->started, &stat) && stat.fields[STARTED] == program->started)
		return file;
	fclose(file);
	return NULL;
}

struct mm_struct *get_task_mm(struct task_struct *task)
{
	return task->mm;
}

/* Call it under the lock. */
static struct known_area *new_area(struct program_mm *program)
{
	struct known_area *area = NULL;

	if (program->nr_areas < MAX_AREAS)
		area = calloc(1, sizeof(*area));
	if (!area)
		return NULL;
	area->vma.vm_mm = &program->mm;
	area->next = program->areas;
	program->areas = area;
	program->nr_areas++;
	return area;
}

static struct vm_area_struct *remember(struct program_mm *program, unsigned long start,
				       unsigned long end, vm_flags_t flags)
{
	struct known_area *area;

	pthread_mutex_lock(&lock);
	area = program->areas;
	while (area && (area->vma.vm_start != start || area->vma.vm_end != end))
		area = area->next;
	area = area ?: new_area(program);
	if (area) {
		area->vma.vm_start = start;
		area->vma.vm_end = end;
		vm_flags_init(&area->vma, flags);
	}
	pthread_mutex_unlock(&lock);
	if (!area)
		pr_err_once("find_vma: the areas of a program take too much memory\n");
	return area ? &area->vma : NULL;
}

static vm_flags_t flags_of(const char rights[5])
{
	return (rights[0] == 'r' ? VM_READ : 0) | (rights[1] == 'w' ? VM_WRITE : 0) |
	       (rights[2] == 'x' ? VM_EXEC : 0) | (rights[3] == 's' ? VM_SHARED : 0) |
	       VM_MAYREAD | VM_MAYWRITE | VM_MAYEXEC;
}

struct vm_area_struct *find_vma(struct mm_struct *mm, unsigned long address)
{
	struct vm_area_struct *found = NULL;
	unsigned long start, end;
	struct program_mm *program = program_of(mm);
	char rights[5];
	FILE *file;

	if (!program)
		return NULL;
	file = open_maps(program);
	while (file && !found && fscanf(file, "%lx-%lx %4s%*[^\n]", &start, &end, rights) == 3)
		if (end > address)
			found = remember(program, start, end, flags_of(rights));
	if (file)
		fclose(file);
	return found;
}

struct vm_area_struct *vma_next(struct vma_iterator *iterator)
{
	struct vm_area_struct *vma = find_vma(iterator->mm, iterator->next);

	if (vma)
		iterator->next = vma->vm_end;
	return vma;
}
