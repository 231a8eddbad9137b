// SPDX-License-Identifier: MIT
/* What results say of the processor: enough to tell two that have one name apart. */
#include "measure/machine.h"

#include <string.h>

#include "support/kernel.h"

static const char *cpu_of(const char *cpuinfo, char *text, size_t bytes)
{
	FILE *file = fmemopen((void *)cpuinfo, strlen(cpuinfo), "r");

	if (!file)
		return "no file";
	machine_cpu_of(file, text, bytes);
	fclose(file);
	return text;
}

static void each_architecture_has_its_facts(struct kunit *test)
{
	char text[100];

	KUNIT_EXPECT_STREQ(test, cpu_of("processor\t: 0\nvendor_id\t: AuthenticAMD\n"
					"cpu family\t: 25\nmodel\t\t: 17\n"
					"model name\t: AMD EPYC\n\n"
					"processor\t: 1\nmodel name\t: another\n",
					text, sizeof(text)),
			   "AMD EPYC, family 25, model 17");
	KUNIT_EXPECT_STREQ(test, cpu_of("processor\t: 0\nBogoMIPS\t: 50.00\n"
					"CPU implementer\t: 0x41\nCPU part\t: 0xd0c\n\n",
					text, sizeof(text)), "implementer 0x41, part 0xd0c");
	KUNIT_EXPECT_STREQ(test, cpu_of("processor\t: 0\nuarch\t\t: sifive,u74-mc\n", text,
					sizeof(text)), "sifive,u74-mc");
	KUNIT_EXPECT_STREQ(test, cpu_of("processor\t: 0\nno colon\n:\n", text, sizeof(text)),
			   "unknown");
	KUNIT_EXPECT_STREQ(test, cpu_of("\n", text, sizeof(text)), "unknown");
}

static void a_long_name_is_cut(struct kunit *test)
{
	char text[8];

	KUNIT_EXPECT_STREQ(test, cpu_of("model name\t: A processor\ncpu family\t: 6\n", text,
					sizeof(text)), "A proce");
}

static void this_machine_has_a_name(struct kunit *test)
{
	char text[256];

	KUNIT_EXPECT_GT(test, strlen(machine_cpu(text, sizeof(text))), 0UL);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(each_architecture_has_its_facts),
	KUNIT_CASE(a_long_name_is_cut),
	KUNIT_CASE(this_machine_has_a_name),
	{}
};

static struct kunit_suite suite = {
	.name = "machine",
	.test_cases = cases,
};
kunit_test_suite(suite);
