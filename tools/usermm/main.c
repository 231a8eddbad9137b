// SPDX-License-Identifier: MIT
/* usermm: one command line for the allocators. */
#include <stdio.h>
#include <string.h>

#include "../../bench/bench.h"
#include "base/compiler.h"
#include "command.h"
#include "usermm/usermm.h"

struct command {
	const char *name;
	const char *synopsis;
	const char *summary;	/* NULL: the command is not listed */
	const char *text;
	int (*function)(int argc, char **argv);
};

static const struct command commands[] = {
	{ "run", "run [-o OPTIONS] [--] PROGRAM [ARGUMENT...]",
	  "run a program with usermm as its malloc",
	  "Runs PROGRAM with " PRELOAD_LIBRARY " in front of LD_PRELOAD. OPTIONS are\n"
	  "name=value, separated by ':', and are appended to USERMM_OPTIONS;\n"
	  "`usermm doctor --options` lists them.\n"
	  "\n"
	  "Exit code: that of PROGRAM; 2 for a bad option, 125 if the library is not found,\n"
	  "126 if PROGRAM cannot be executed, 127 if there is no such program.\n", command_run },
	{ "bench", "bench [SUITE...] [--json FILE] [--peers FOLDER] [--quick] [--seconds N]\n"
	  "                [--live-mib N] [-o OPTIONS]",
	  "measure the allocators, and show the figures to compare them with",
	  "Runs the suites named, or all of them, and prints a table for each. With --json the\n"
	  "figures also go to FILE as JSON; with '-' they go to standard output, and the tables\n"
	  "to standard error. Suite malloc also compares with the allocators in FOLDER (default:\n"
	  "peers, beside this program), which `make bench-peers` builds. With --quick every\n"
	  "figure comes from one process instead of several. Suite soak runs only if it is\n"
	  "named: it takes N seconds (600) for each allocator, with N MiB (370) live, and the\n"
	  "exit code is 1 if usermm needs more than 1.25 times that.\n"
	  "OPTIONS are as for `usermm run`.\n", command_bench },
	{ "doctor", "doctor [-o OPTIONS] [--options]",
	  "show what the library found on this machine",
	  "Shows the mode of the per-CPU lists and why it was chosen, the limits that were\n"
	  "found, and the sizes of the memory window and the budget. With --options: the table\n"
	  "of options with their current values. OPTIONS are as for `usermm run`.\n",
	  command_doctor },
	{ "selftest",
	  "selftest [percpu [--storm SECONDS] [--patience SECONDS] [--hotplug] [-o OPTIONS]]",
	  "check quickly that every layer works here; or check the per-CPU lists thoroughly",
	  "Allocates and frees memory through the public functions of each layer, and checks\n"
	  "the results. Prints one line for each check; the exit code is 1 if one fails.\n"
	  "\n"
	  "`usermm selftest percpu` proves that the per-CPU lists work on this machine and\n"
	  "kernel. First every primitive is interrupted at each of its instructions, in all\n"
	  "states of the list, without and with another operation on the same list meanwhile.\n"
	  "Then more threads than CPUs use the same lists for SECONDS, under all interruptions\n"
	  "that the user may cause. Each primitive must be aborted 100000 times, or it counts\n"
	  "as not exercised. Without --storm this takes 10 seconds, and up to five minutes\n"
	  "more if the aborts are too few. With --storm it takes SECONDS, and up to as many\n"
	  "more; --patience sets how many more instead. With --hotplug the last CPU also goes\n"
	  "offline and comes back, which every program on the machine will notice.\n"
	  "OPTIONS are as for `usermm run`; rseq=cpu_id and rseq=mm_cid choose what is proven.\n"
	  "\n"
	  "Exit code: 0 if no object was lost or handed out twice, and everything that this\n"
	  "kernel lets happen was exercised; else 1; 2 for wrong arguments. The last line says\n"
	  "why, or what this kernel does not let happen.\n",
	  command_selftest },
	{ "module", "module [OPTION...] FILE.c... [PARAMETER=VALUE...]",
	  "compile and run the sources of a kernel module",
	  "Compiles the sources against include/kernel, links them together and runs them as a\n"
	  "process: parameters, initcalls, KUnit suites, exits. The log goes to standard output\n"
	  "as dmesg shows it; memory that the module leaves behind is reported.\n"
	  "\n"
	  "  --timeout=SECONDS  stop a module that runs longer, and show where (120; 0: never)\n"
	  "  --linux=VERSION    the Linux that the headers stand for: 4.0 to 6.12 and newer\n"
	  "  --compile-only     do not link and run\n"
	  "  -o OPTIONS         as for `usermm run`\n"
	  "  -D... -U... -I... -O... -f... -g... -m... -std=... -W...  for the compiler (CC)\n"
	  "\n"
	  "Exit code: 0 if init returned 0, or the -EAGAIN of a module that does not want to\n"
	  "stay; else init's errno; 1 if a test failed or a source does not compile; 2 for a\n"
	  "wrong argument or parameter, with nothing run; 124 if the time was up; 128 and the\n"
	  "signal's number if it crashed.\n", command_module },
	{ "inspect", "inspect PID|CORE [COMMAND] [--json]",
	  "look into a process or a core dump from outside",
	  "Reads the allocator's memory of a process, or of an ELF core. The process goes on, and\n"
	  "need not have been started in a special way.\n"
	  "\n"
	  "  summary          totals (this is the usual COMMAND)\n"
	  "  caches           objects, bytes and waste of each cache; --sort bytes, objects,\n"
	  "                   active, waste, size, slabs, name\n"
	  "  zones            free pages, watermarks, free blocks of each order\n"
	  "  options          the options that the process runs with\n"
	  "  whatis ADDRESS   the block at the address: cache, size, state, stacks if known\n"
	  "  owners           who allocated the blocks, with profile=, slab_debug=U or\n"
	  "                   kfence_sample=\n"
	  "  verify           checks all that must hold, and tells the first violation\n"
	  "  leaks            blocks that no register, stack, data or other block reaches;\n"
	  "                   threads are paused for a few milliseconds\n"
	  "  map              what each page is used for; -o FILE writes it to a file\n"
	  "\n"
	  "  --json           one JSON document\n"
	  "  --addresses N    list at most N addresses of each group of leaks (100000)\n"
	  "\n"
	  "Examples: usermm inspect 1234; usermm inspect 1234 leaks --json;\n"
	  "          usermm inspect core.1234 whatis 0x7f0012345680\n"
	  "\n"
	  "Exit code: 0; 1 if there are leaks; 2 wrong arguments; 3 no such process or file; 4 no\n"
	  "permission; 5 no usermm in it; 6 another version of usermm; 7 no core, or a damaged\n"
	  "one; 8 the heap is damaged; 9 the process has ended meanwhile; 10 no block; 11 no\n"
	  "memory, or the output cannot be written.\n", command_inspect },
	{ "top", "top [PID] [-b] [-n N] [-d SECONDS] [--sort KEY] [--json]",
	  "show the caches of a process, or all processes on usermm, again and again",
	  "Without PID: the processes that run on usermm, with their memory. With PID: its\n"
	  "totals, zones and caches, as slabtop(1) shows the kernel's. A process that is stopped\n"
	  "or hangs can be looked at as well.\n"
	  "\n"
	  "  -b, --batch          print pictures one below the other, for scripts\n"
	  "  -n, --iterations N   end after N pictures\n"
	  "  -d, --delay SECONDS  between two pictures (2)\n"
	  "  -s, --sort KEY       bytes, objects, active, waste, size, slabs, name, change; on a\n"
	  "                       terminal the keys b, o, a, w, s, l, n, c do the same; q ends\n"
	  "      --json           one JSON document a line\n"
	  "\n"
	  "Examples: usermm top; usermm top 1234; usermm top 1234 -b -n 1 --sort waste\n"
	  "\n"
	  "Exit code: as of `usermm inspect`.\n", command_top },
	{ "bench-child", "", NULL, "", command_bench_child },
};

static const struct command *find_command(const char *name)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static void list_commands(FILE *out)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(commands); i++)
		if (commands[i].summary)
			fprintf(out, " %s", commands[i].name);
}

static int general_help(void)
{
	printf("usage: usermm COMMAND ...\n\n");
	for (unsigned int i = 0; i < ARRAY_SIZE(commands); i++)
		if (commands[i].summary)
			printf("  %-10s%s\n", commands[i].name, commands[i].summary);
	printf("\n`usermm help COMMAND` tells more about one; `usermm --version` prints the "
	       "version.\n");
	return 0;
}

int command_help(const char *name)
{
	const struct command *command = find_command(name);

	if (!command || !command->summary) {
		fprintf(stderr, "usermm: unknown command '%s'; there are:", name);
		list_commands(stderr);
		fprintf(stderr, "\n");
		return EXIT_USAGE;
	}
	printf("usage: usermm %s\n\n%s", command->synopsis, command->text);
	if (command->function == command_bench) {
		printf("\nSuites:\n");
		for (unsigned int i = 0; bench_suite(i); i++)
			printf("  %-12s%s\n", bench_suite(i)->name, bench_suite(i)->help);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		fprintf(stderr, "usermm: no command given; there are:");
		list_commands(stderr);
		fprintf(stderr, "; `usermm help` tells more\n");
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--version")) {
		printf("usermm %s\n", usermm_version());
		return 0;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return general_help();
	if (!strcmp(argv[1], "help"))
		return argc > 2 ? command_help(argv[2]) : general_help();
	command = find_command(argv[1]);
	return command ? command->function(argc - 1, argv + 1) : command_help(argv[1]);
}
