// SPDX-License-Identifier: MIT
/* The plugin that counts remote lines, driven as by QEMU: does it count what its comment says? */
#define TABLE_BITS 12
#include "threads/remote_lines.c"

#include <stdlib.h>
#include <unistd.h>

#include "support/kernel.h"

#define CPUS 5
#define LINES 40
#define PROGRAM_CODE 0x555500001000UL
#define LIBRARY_CODE 0x7f1200001000UL
#define KERNEL_CODE 0xffffffff81000000UL
#define DATA 0x7f5500000000UL

typedef void access_cb(unsigned int, qemu_plugin_meminfo_t, uint64_t, void *);

/* An emulated instruction, and what the plugin registered for it. */
struct qemu_plugin_insn {
	uint64_t address;
	access_cb *cb;
	void *userdata;
};

static struct qemu_plugin_insn insns[] = {
	{ .address = PROGRAM_CODE }, { .address = LIBRARY_CODE }, { .address = KERNEL_CODE },
};
static char path[] = "/tmp/remote_lines-XXXXXX";

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb)
{
	(void)tb;
	return ARRAY_SIZE(insns);
}

struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index)
{
	(void)tb;
	return &insns[index];
}

uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn)
{
	return insn->address;
}

bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info)
{
	return info == QEMU_PLUGIN_MEM_W;
}

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
					   void (*cb)(qemu_plugin_id_t, struct qemu_plugin_tb *))
{
	cb(id, NULL);
}

void qemu_plugin_register_vcpu_idle_cb(qemu_plugin_id_t id,
				       void (*cb)(qemu_plugin_id_t, unsigned int))
{
	(void)id;
	(void)cb;
}

void qemu_plugin_register_vcpu_resume_cb(qemu_plugin_id_t id,
					 void (*cb)(qemu_plugin_id_t, unsigned int))
{
	(void)id;
	(void)cb;
}

void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, access_cb *cb, int flags,
				      int rw, void *userdata)
{
	(void)flags;
	(void)rw;
	insn->cb = cb;
	insn->userdata = userdata;
}

static void access_by(struct qemu_plugin_insn *insn, unsigned int cpu, uint64_t address,
		      bool is_store)
{
	insn->cb(cpu, is_store ? QEMU_PLUGIN_MEM_W : QEMU_PLUGIN_MEM_R, address, insn->userdata);
}

static void load_by_program(unsigned int cpu, uint64_t address)
{
	access_by(&insns[PROGRAM], cpu, address, false);
}

static void store_by_program(unsigned int cpu, uint64_t address)
{
	access_by(&insns[PROGRAM], cpu, address, true);
}

/* Closes the gate, and compares what was written since the last time. */
static void expect_written(struct kunit *test, const char *expected)
{
	char text[100] = "";
	FILE *file;

	store_by_program(0, GATE_CLOSE);
	file = fopen(path, "re");
	KUNIT_ASSERT_NOT_NULL(test, file);
	while (fgets(text, sizeof(text), file))
		;
	fclose(file);
	KUNIT_EXPECT_STREQ(test, text, expected);
}

static int suite_init(struct kunit_suite *suite)
{
	char argument[sizeof(path) + 3] = "to=", *argv[] = { argument };
	int fd = mkstemp(path);

	(void)suite;
	if (fd < 0)
		return -1;
	close(fd);
	strcat(argument, path);
	return qemu_plugin_install(1, NULL, 1, argv);
}

static void suite_exit(struct kunit_suite *suite)
{
	(void)suite;
	fclose(to);
	unlink(path);
}

static void a_line_comes_from_another_cpu(struct kunit *test)
{
	store_by_program(0, GATE_OPEN);
	store_by_program(0, DATA);		/* nobody has it */
	store_by_program(0, DATA + 63);
	load_by_program(1, DATA + 8);		/* remote */
	load_by_program(1, DATA + 16);
	load_by_program(0, DATA);
	store_by_program(0, DATA);		/* remote: 1 has it, too */
	load_by_program(1, DATA);		/* remote */
	store_by_program(2, DATA);		/* remote */
	store_by_program(1, DATA + 64);		/* another line */
	expect_written(test, "4 0\n");
}

static void the_gate_shuts_out_what_is_outside(struct kunit *test)
{
	store_by_program(0, DATA);
	store_by_program(1, DATA);
	store_by_program(0, GATE_OPEN);
	store_by_program(2, DATA);	/* a line that nobody has touched since then */
	load_by_program(0, GATE_CLOSE);	/* only a store closes it */
	store_by_program(3, DATA);
	expect_written(test, "1 0\n");
	store_by_program(0, GATE_CLOSE);	/* twice writes nothing more */
	store_by_program(0, GATE_OPEN);
	store_by_program(1, DATA);
	expect_written(test, "0 0\n");
}

static void the_kernels_instructions_and_data_do_not_count(struct kunit *test)
{
	KUNIT_EXPECT_NULL(test, insns[2].cb);
	store_by_program(0, GATE_OPEN);
	store_by_program(0, USER_END);
	store_by_program(1, USER_END);
	expect_written(test, "0 0\n");
}

/* A set of CPUs for each line, in the plainest form. */
static void random_accesses_agree_with_a_model(struct kunit *test)
{
	static bool has[LINES][CPUS];
	unsigned long counts[NR_SIDES] = { 0 };
	char expected[100];

	srandom(1);
	store_by_program(0, GATE_OPEN);
	for (unsigned int i = 0; i < 100000; i++) {
		unsigned int side = random() % NR_SIDES, line = random() % LINES;
		unsigned int cpu = random() % CPUS;
		bool is_store = random() % 3 == 0, others = false;

		for (unsigned int other = 0; other < CPUS; other++)
			others |= other != cpu && has[line][other];
		counts[side] += others && (is_store || !has[line][cpu]);
		for (unsigned int other = 0; is_store && other < CPUS; other++)
			has[line][other] = false;
		has[line][cpu] = true;
		access_by(&insns[side], cpu, DATA + line * 64 + random() % 64, is_store);
	}
	snprintf(expected, sizeof(expected), "%lu %lu\n", counts[PROGRAM], counts[LIBRARIES]);
	expect_written(test, expected);
}

static void a_full_table_is_told(struct kunit *test)
{
	store_by_program(0, GATE_OPEN);
	for (unsigned long line = 0; line < 2UL << TABLE_BITS; line++)
		store_by_program(0, DATA + line * 64);
	expect_written(test, "full\n");
	store_by_program(0, GATE_OPEN);
	expect_written(test, "0 0\n");
}

static void a_cpu_that_is_behind_goes_first(struct kunit *test)
{
	memset(progress, 0, sizeof(progress));
	for (unsigned int i = 0; i < STEP + 1; i++)
		keep_step(0);
	KUNIT_EXPECT_FALSE(test, is_ahead(STEP + 1));	/* of a CPU that never ran */
	keep_step(1);
	KUNIT_EXPECT_FALSE(test, is_ahead(STEP + 1));
	KUNIT_EXPECT_TRUE(test, is_ahead(STEP + 2));
	on_idle(1, 1);
	KUNIT_EXPECT_FALSE(test, is_ahead(STEP + 2));
	for (unsigned int i = 0; i < STEP; i++)
		keep_step(0);
	on_resume(1, 1);
	KUNIT_EXPECT_FALSE(test, is_ahead(2 * STEP + 1));	/* it owes nothing */
	KUNIT_EXPECT_TRUE(test, is_ahead(3 * STEP + 2));
	memset(progress, 0, sizeof(progress));
}

static void wrong_arguments_are_refused(struct kunit *test)
{
	char wrong[] = "two=1", *argv[] = { wrong, wrong };

	KUNIT_EXPECT_EQ(test, qemu_plugin_install(1, NULL, 0, argv), 1);
	KUNIT_EXPECT_EQ(test, qemu_plugin_install(1, NULL, 1, argv), 1);
	KUNIT_EXPECT_EQ(test, qemu_plugin_install(1, NULL, 2, argv), 1);
}

static void a_file_that_cannot_be_made_is_refused(struct kunit *test)
{
	char nowhere[] = "to=/nosuch/file", *argv[] = { nowhere };
	FILE *before = to;

	KUNIT_EXPECT_EQ(test, qemu_plugin_install(1, NULL, 1, argv), 1);
	to = before;
}

static struct kunit_case cases[] = {
	KUNIT_CASE(a_line_comes_from_another_cpu),
	KUNIT_CASE(the_gate_shuts_out_what_is_outside),
	KUNIT_CASE(the_kernels_instructions_and_data_do_not_count),
	KUNIT_CASE(random_accesses_agree_with_a_model),
	KUNIT_CASE(a_full_table_is_told),
	KUNIT_CASE(a_cpu_that_is_behind_goes_first),
	KUNIT_CASE(wrong_arguments_are_refused),
	KUNIT_CASE(a_file_that_cannot_be_made_is_refused),
	{}
};

static struct kunit_suite suite = {
	.name = "remote_lines",
	.suite_init = suite_init,
	.suite_exit = suite_exit,
	.test_cases = cases,
};
kunit_test_suite(suite);
