// SPDX-License-Identifier: MIT
/* The memory of this process as a task's: see struct mm_struct and find_vma(). */
#include <pthread.h>
#include <stdio.h>

#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "sched/context.h"

struct mm_struct init_mm = {
	.mm_count = ATOMIC_INIT(1), .mm_users = ATOMIC_INIT(1),
};
static pgd_t no_tables;
static struct mm_struct process_mm = {
	.mm_count = ATOMIC_INIT(1), .mm_users = ATOMIC_INIT(1), .pgd = &no_tables,
	.task_size = 1UL << 47,
};
static pthread_once_t filled = PTHREAD_ONCE_INIT;

/* Areas that were handed out. They stay, since no call gives an area back. */
#define MAX_AREAS 4096
static struct vm_area_struct areas[MAX_AREAS];
static unsigned int nr_areas;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Fields 26 to 51 of /proc/self/stat, and the first of statm. cf. proc(5). */
static void fill(void)
{
	FILE *file = fopen("/proc/self/stat", "r");
	struct mm_struct *mm = &process_mm;
	unsigned long fields[60] = { 0 }, value;
	int n = 2, c = 0;

	spin_lock_init(&mm->page_table_lock);
	spin_lock_init(&mm->arg_lock);
	init_rwsem(&mm->mmap_lock);
	/* The name in parentheses may have spaces; the state behind it is a letter. */
	while (file && c != ')' && c != EOF)
		c = getc(file);
	if (file && fscanf(file, " %*c") == 0)
		for (n = 4; n < 60 && fscanf(file, "%lu", &value) == 1; n++)
			fields[n] = value;
	if (file)
		fclose(file);
	mm->total_vm = fields[23] >> PAGE_SHIFT;
	mm->start_code = fields[26];
	mm->end_code = fields[27];
	mm->start_stack = fields[28];
	mm->start_data = fields[45];
	mm->end_data = fields[46];
	mm->start_brk = mm->brk = fields[47];
	mm->arg_start = fields[48];
	mm->arg_end = fields[49];
	mm->env_start = fields[50];
	mm->env_end = fields[51];
	mm->map_count = 1;
}

struct mm_struct *usermm_process_mm(void)
{
	pthread_once(&filled, fill);
	return &process_mm;
}

struct mm_struct *get_task_mm(struct task_struct *task)
{
	return task->mm;
}

static struct vm_area_struct *remember(unsigned long start, unsigned long end, vm_flags_t flags)
{
	struct vm_area_struct *vma = NULL;

	pthread_mutex_lock(&lock);
	for (unsigned int i = 0; i < nr_areas && !vma; i++)
		if (areas[i].vm_start == start && areas[i].vm_end == end)
			vma = &areas[i];
	if (!vma && nr_areas < MAX_AREAS)
		vma = &areas[nr_areas++];
	if (vma) {
		vma->vm_start = start;
		vma->vm_end = end;
		vma->vm_mm = &process_mm;
		vm_flags_init(vma, flags);
	}
	pthread_mutex_unlock(&lock);
	return vma;
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
	char rights[5];
	FILE *file;

	if (mm != &process_mm)
		return NULL;
	file = fopen("/proc/self/maps", "r");
	while (file && !found && fscanf(file, "%lx-%lx %4s%*[^\n]", &start, &end, rights) == 3)
		if (end > address)
			found = remember(start, end, flags_of(rights));
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
