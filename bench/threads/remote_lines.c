// SPDX-License-Identifier: MIT
/*
 * Counts remote lines in an emulated machine: a plugin of QEMU (from 7.2 on) for count_threads.py.
 *
 *	qemu-system-x86_64 -plugin ./remote_lines.so,to=FILE ...
 *
 * A line has 64 bytes. An access is remote if another CPU has the line and this CPU has to ask it:
 *
 *	a read	of a line that another CPU has touched, and this one has not since then
 *	a write	to a line that another CPU has touched since this CPU's last write
 *
 * So each CPU has a cache of its own without a limit, kept coherent as by MESI. The kernel's data
 * is not counted. For each interval between the gate's two stores (gate.h) FILE gets a line
 * "PROGRAM LIBRARIES": remote accesses by instructions of the program itself, and by those of its
 * libraries. FILE gets "full" instead if the program touched more lines than the table holds.
 *
 * Emulated CPUs run at the same time, so each line's word is changed atomically. Nothing orders two
 * lines. But if the machine has fewer CPUs, each emulated one runs for milliseconds alone, and a
 * line that two write to in turn would rarely be seen to move. So a CPU that is STEP accesses ahead
 * of another one that runs lets that go first.
 */
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "gate.h"

/* --- QEMU's interface for plugins, version 1: what is used here ---------------------------- */

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_info_t;
enum { QEMU_PLUGIN_CB_NO_REGS };
enum { QEMU_PLUGIN_MEM_R = 1, QEMU_PLUGIN_MEM_W, QEMU_PLUGIN_MEM_RW };

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
					   void (*cb)(qemu_plugin_id_t, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_idle_cb(qemu_plugin_id_t id,
				       void (*cb)(qemu_plugin_id_t, unsigned int));
void qemu_plugin_register_vcpu_resume_cb(qemu_plugin_id_t id,
					 void (*cb)(qemu_plugin_id_t, unsigned int));
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
				      void (*cb)(unsigned int, qemu_plugin_meminfo_t, uint64_t,
						 void *),
				      int flags, int rw, void *userdata);
int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info, int argc, char **argv);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

/* --- Lines --------------------------------------------------------------------------------- */

#define LINE_SHIFT 6
#ifndef TABLE_BITS
#define TABLE_BITS 23
#endif
/* Libraries are mapped from here on, a program that is a PIE below. */
#define LIBRARIES_FROM 0x700000000000UL
#define USER_END 0x800000000000UL

struct line {
	atomic_ulong number;	/* the address's upper bits; 0: free */
	atomic_ulong cpus;	/* a bit for each CPU that has the line */
};

enum { PROGRAM, LIBRARIES, NR_SIDES };

static struct line lines[1UL << TABLE_BITS];
static atomic_ulong remote[NR_SIDES];
static atomic_bool is_open, is_full;
static FILE *to;

/* The table never loses a line, so a number that is found stays where it is. */
static struct line *line_of(unsigned long number)
{
	unsigned long at = number * 0x9e3779b97f4a7c15UL >> (64 - TABLE_BITS);

	for (unsigned int tries = 0; tries < 64; tries++) {
		struct line *line = &lines[(at + tries) & ((1UL << TABLE_BITS) - 1)];
		unsigned long found = 0;

		if (atomic_load_explicit(&line->number, memory_order_relaxed) == number ||
		    atomic_compare_exchange_strong(&line->number, &found, number) ||
		    found == number)
			return line;
	}
	atomic_store(&is_full, true);
	return NULL;
}

static bool is_remote(struct line *line, unsigned long cpu, bool is_store)
{
	unsigned long before;

	if (!is_store) {
		if (atomic_load_explicit(&line->cpus, memory_order_relaxed) & cpu)
			return false;
		return atomic_fetch_or(&line->cpus, cpu) & ~cpu;
	}
	before = atomic_load_explicit(&line->cpus, memory_order_relaxed);
	return before != cpu && (atomic_exchange(&line->cpus, cpu) & ~cpu);
}

/* --- In step ------------------------------------------------------------------------------- */

#define CPUS_MAX 64
#define STEP 64
/* A CPU that is in the kernel makes no progress that is seen here. Then the others go on. */
#define YIELDS_MAX 20

struct progress {
	_Alignas(64) atomic_ulong accesses;
	atomic_bool is_idle;
};

static struct progress progress[CPUS_MAX];

static bool is_ahead(unsigned long accesses)
{
	for (unsigned int cpu = 0; cpu < CPUS_MAX; cpu++) {
		unsigned long other = atomic_load_explicit(&progress[cpu].accesses,
							   memory_order_relaxed);

		if (other && other + STEP < accesses &&
		    !atomic_load_explicit(&progress[cpu].is_idle, memory_order_relaxed))
			return true;
	}
	return false;
}

/* After an access of this CPU. */
static void keep_step(unsigned int cpu)
{
	unsigned long accesses = 1 + atomic_fetch_add_explicit(&progress[cpu].accesses, 1,
							       memory_order_relaxed);

	for (int i = 0; accesses % STEP == 0 && i < YIELDS_MAX && is_ahead(accesses); i++)
		sched_yield();
}

/* A CPU that comes back goes on where the foremost is: it owes nothing for the time in between. */
static void on_resume(qemu_plugin_id_t id, unsigned int cpu)
{
	unsigned long most = 0;

	(void)id;
	for (unsigned int other = 0; other < CPUS_MAX; other++) {
		unsigned long accesses = atomic_load(&progress[other].accesses);

		if (accesses > most)
			most = accesses;
	}
	atomic_store(&progress[cpu & (CPUS_MAX - 1)].accesses, most);
	atomic_store(&progress[cpu & (CPUS_MAX - 1)].is_idle, false);
}

static void on_idle(qemu_plugin_id_t id, unsigned int cpu)
{
	(void)id;
	atomic_store(&progress[cpu & (CPUS_MAX - 1)].is_idle, true);
}

/* --- The gate ------------------------------------------------------------------------------ */

static void open_gate(void)
{
	for (int side = 0; side < NR_SIDES; side++)
		atomic_store(&remote[side], 0);
	atomic_store(&is_full, false);
	atomic_store(&is_open, true);
}

/* The next load is another process, to which these lines mean nothing. */
static void close_gate(void)
{
	atomic_store(&is_open, false);
	if (atomic_load(&is_full))
		fprintf(to, "full\n");
	else
		fprintf(to, "%lu %lu\n", atomic_load(&remote[PROGRAM]),
			atomic_load(&remote[LIBRARIES]));
	fflush(to);
	memset(lines, 0, sizeof(lines));
}

static void pass_gate(uint64_t address, bool is_store)
{
	if (is_store && address == GATE_OPEN)
		open_gate();
	else if (is_store && address == GATE_CLOSE && atomic_load(&is_open))
		close_gate();
}

/* --- What QEMU calls ----------------------------------------------------------------------- */

static void on_access(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t address, void *side)
{
	bool is_store = qemu_plugin_mem_is_store(info);
	struct line *line;

	if (address >> 12 == GATE_ADDRESS >> 12) {
		pass_gate(address, is_store);
		return;
	}
	if (address >= USER_END || !atomic_load_explicit(&is_open, memory_order_relaxed))
		return;
	cpu &= CPUS_MAX - 1;
	line = line_of(address >> LINE_SHIFT);
	if (line && is_remote(line, 1UL << cpu, is_store))
		atomic_fetch_add_explicit(&remote[(uintptr_t)side], 1, memory_order_relaxed);
	keep_step(cpu);
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t address = qemu_plugin_insn_vaddr(insn);
		uintptr_t side = address < LIBRARIES_FROM ? PROGRAM : LIBRARIES;

		if (address < USER_END)
			qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS,
							 QEMU_PLUGIN_MEM_RW, (void *)side);
	}
}

__attribute__((visibility("default")))
int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info, int argc, char **argv)
{
	(void)info;
	if (argc != 1 || strncmp(argv[0], "to=", 3)) {
		fprintf(stderr, "remote_lines: give to=FILE\n");
		return 1;
	}
	to = fopen(argv[0] + 3, "we");
	if (!to) {
		perror("remote_lines: to=");
		return 1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	qemu_plugin_register_vcpu_idle_cb(id, on_idle);
	qemu_plugin_register_vcpu_resume_cb(id, on_resume);
	return 0;
}
