// SPDX-License-Identifier: MIT
/* usermm control: reads and changes the controls of a process that runs with control=on. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "control/ask.h"
#include "control/entry.h"
#include "control/mappings.h"
#include "show/show.h"
#include "stats/metrics.h"
#include "usermm/arguments.h"
#include "usermm/inspect_tables.h"
#include "usermm/say.h"

#define WAIT_SECONDS 10
#define WAIT_SECONDS_MAX 86400
/* profile=on means one sample for each 512 KiB that the program allocates. */
#define PROFILE_BYTES (512UL << 10)

enum unit { BYTES, MILLISECONDS, NUMBER };

struct control {
	const char *name;
	enum unit unit;
	const char *help;
	unsigned int access;
};

static const struct control controls[] = {
#define CONTROL(id, name, unit, help, access, read, write) { name, unit, help, access },
#include "api/controls.def"
#undef CONTROL
};

/* A counter is TABLE.METRIC, and can be read. */
static const struct control counter = { .access = CAN_READ };

struct wishes {
	bool json;
	double seconds;
};

/* A word behind PID, which is NAME or NAME=VALUE, and the result of its request. */
struct word {
	const struct control *control;
	char name[CONTROL_NAME_BYTES];
	bool has_value;
	uint64_t value;		/* to be written */
	bool has_old, has_now;
	uint64_t old, now;	/* before it was written, and afterwards */
};

static bool take_option(const struct command *command, int key, const char *value, void *context)
{
	struct wishes *wishes = context;
	unsigned long seconds;

	if (key == KEY_INSPECT_JSON) {
		wishes->json = true;
		return true;
	}
	if (!take_number(command, "wait", value, WAIT_SECONDS_MAX, &seconds))
		return false;
	wishes->seconds = (double)seconds;
	return true;
}

static const struct command control_command = {
	.name = "control",
	.options = control_option_table,
	.take = take_option,
};

/* --- Words ------------------------------------------------------------------------- */

static bool is_counter(const char *name)
{
	size_t length = strcspn(name, ".");

	for (unsigned int i = 0; name[length] && i < NR_METRIC_TABLES; i++) {
		const struct metric_table *table = &metric_tables[i];

		if (table->has_rows || strncmp(table->name, name, length) || table->name[length])
			continue;
		for (unsigned int j = 0; j < table->nr_metrics; j++)
			if (!strcmp(table->metrics[j].name, name + length + 1))
				return true;
	}
	return false;
}

/* NULL: there is no such control. */
static const struct control *find_control(const char *name)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(controls); i++)
		if (!strcmp(controls[i].name, name))
			return &controls[i];
	return is_counter(name) ? &counter : NULL;
}

static int unknown_control(const char *name)
{
	say(stderr, "usermm control: unknown control '%s'; there are:", name);
	for (unsigned int i = 0; i < ARRAY_SIZE(controls); i++)
		say(stderr, " %s", controls[i].name);
	say(stderr, ", and counters, as stats.allocated_bytes\n");
	return EXIT_USAGE;
}

/* A whole number; bytes may have a K, M, G or T behind them. */
static bool read_value(const char *text, enum unit unit, uint64_t *value)
{
	static const char units[] = "KMGT";
	const char *found;
	unsigned int shift;
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)*text) || errno)
		return false;
	if (!*end)
		return true;
	found = strchr(units, toupper((unsigned char)*end));
	if (unit != BYTES || !found || end[1])
		return false;
	shift = 10 * (unsigned int)(found - units + 1);
	if (*value > UINT64_MAX >> shift)
		return false;
	*value <<= shift;
	return true;
}

static bool take_value(struct word *word, const char *text)
{
	if (!strcmp(word->name, "profile") && !strcmp(text, "on"))
		word->value = PROFILE_BYTES;
	else if (!strcmp(word->name, "profile") && !strcmp(text, "off"))
		word->value = 0;
	else
		return read_value(text, word->control->unit, &word->value);
	return true;
}

/* 0, or the exit status after one line. */
static int take_word(const char *text, struct word *word)
{
	static const char *const forms[] = {
		[BYTES] = "bytes, as 64M", [MILLISECONDS] = "milliseconds", [NUMBER] = "a number",
	};
	const char *value = strchr(text, '=');
	size_t length = value ? (size_t)(value - text) : strlen(text);

	snprintf(word->name, sizeof(word->name), "%.*s", (int)length, text);
	word->control = length < sizeof(word->name) ? find_control(word->name) : NULL;
	if (!word->control)
		return unknown_control(word->name);
	word->has_value = value;
	if (value && !(word->control->access & CAN_WRITE)) {
		say(stderr, "usermm control: %s can only be read; leave '%s' out\n", word->name,
		    value);
		return EXIT_USAGE;
	}
	if (value && !take_value(word, value + 1)) {
		say(stderr, "usermm control: %s takes %s%s, not '%s'\n", word->name,
		    forms[word->control->unit],
		    !strcmp(word->name, "profile") ? ", or on, or off" : "", value + 1);
		return EXIT_USAGE;
	}
	if (!value && !(word->control->access & CAN_READ)) {
		say(stderr, "usermm control: %s needs a value, as %s=0: it %s\n", word->name,
		    word->name, word->control->help);
		return EXIT_USAGE;
	}
	return 0;
}

/* Without words: all controls that can be read. */
static unsigned int take_all(struct word *words)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(controls); i++) {
		if (!(controls[i].access & CAN_READ))
			continue;
		words[nr].control = &controls[i];
		snprintf(words[nr++].name, sizeof(words->name), "%s", controls[i].name);
	}
	return nr;
}

/* --- Requests ------------------------------------------------------------------------ */

/* Why the process has not done it, and what helps. */
static const char *name_error(const struct word *word, int error)
{
	bool is_limit = !strcmp(word->name, "limit"), writes = !strcmp(word->name, "profile_write");

	switch (-error) {
	case EINVAL:
		return is_limit ? "at least 4M, and at most what the process started with" :
		       !strcmp(word->name, "profile") ?
		       "at most 1T; and once it was on, it keeps its distance between samples" :
		       "the value is out of range";
	case ENOMEM:
		return is_limit ? "more bytes are in use; ask for more, or purge=0 before" :
				  "the process has no memory for it";
	case EOPNOTSUPP:
		return writes ? "there is no profile; set profile=on before" :
		       "kfence_sample=, or hardened=1 without profile=, prevents it";
	case EBUSY:
		return "another thread changes it just now; ask again";
	case EBADF:
		return "the process has no such file descriptor";
	default:
		return strerror(-error);
	}
}

/* Reads into *value if the control can be read; writes the word's value if `writes`. */
static enum inspect_status ask(struct asker *asker, struct word *word, bool writes,
			       uint64_t *value, const struct wishes *wishes)
{
	struct request request = {
		.name = word->name,
		.access = (word->control->access & CAN_READ) | (writes ? CAN_WRITE : 0),
		.value = word->value,
	};
	enum inspect_status status = asker_ask(asker, &request, wishes->seconds);

	if (status != INSPECT_OK) {
		say(stderr, "usermm control: %s\n", asker_error(asker));
		return status;
	}
	*value = request.value;
	if (!request.error)
		return INSPECT_OK;
	say(stderr, "usermm control: the process refuses %s%s: %s\n", word->name,
	    writes ? "=" : "", name_error(word, request.error));
	return INSPECT_REFUSED;
}

/*
 * The process writes the samples and the requester the mappings, without which a reader finds no
 * names. The file is opened before: if the process executes another program meanwhile, nothing gets
 * into a file of that one.
 */
static enum inspect_status ask_profile(struct asker *asker, struct word *word,
				       const struct wishes *wishes)
{
	pid_t pid = asker_process(asker);
	int file = mappings_open_file(pid, word->value), error = file < 0 ? errno : 0;
	enum inspect_status status = ask(asker, word, true, &word->old, wishes);

	if (status == INSPECT_OK && !error)
		error = mappings_write(pid, file, wishes->seconds);
	if (file >= 0)
		close(file);
	if (status != INSPECT_OK || !error)
		return status;
	say(stderr, "usermm control: the profile of process %d is written without mappings, so "
	    "`usermm profile` finds no names; `cat /proc/%d/maps` appended to it helps: %s\n", pid,
	    pid, strerror(error));
	return error == ETIMEDOUT ? INSPECT_TIME_UP : INSPECT_NO_OUTPUT;
}

static enum inspect_status ask_word(struct asker *asker, struct word *word,
				    const struct wishes *wishes)
{
	bool can_read = word->control->access & CAN_READ;
	enum inspect_status status = INSPECT_OK;

	if (!strcmp(word->name, "profile_write"))
		return ask_profile(asker, word, wishes);
	if (word->has_value) {
		status = ask(asker, word, true, &word->old, wishes);
		word->has_old = can_read;
	}
	if (status == INSPECT_OK && can_read) {
		status = ask(asker, word, false, &word->now, wishes);
		word->has_now = true;
	}
	return status;
}

/* --- Output ------------------------------------------------------------------------ */

static void print_word(const struct word *word)
{
	if (!word->has_now)
		printf("%s: done\n", word->name);
	else if (word->has_old)
		printf("%s %lu, was %lu\n", word->name, word->now, word->old);
	else
		printf("%s %lu\n", word->name, word->now);
}

static void print_table(const struct word *words, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		printf("%-12s %20lu  %s\n", words[i].name, words[i].now, words[i].control->help);
}

static int print_json(const struct word *words, unsigned int nr)
{
	json_t *document = json_object();
	int error;

	for (unsigned int i = 0; i < nr; i++) {
		json_t *one = json_object();

		if (words[i].has_now)
			add_number(one, "value", words[i].now);
		if (words[i].has_old)
			add_number(one, "old", words[i].old);
		json_object_set_new(document, words[i].name, one);
	}
	error = json_dumpf(document, stdout, JSON_COMPACT);
	json_decref(document);
	puts("");
	return error ? EXIT_NO_OUTPUT : 0;
}

/* All requests before the first that fails are carried out, and shown. */
static int ask_all(struct asker *asker, struct word *words, unsigned int nr, bool are_all,
		   const struct wishes *wishes)
{
	enum inspect_status status = INSPECT_OK;
	unsigned int done = 0;
	int code = 0;

	while (done < nr && status == INSPECT_OK) {
		status = ask_word(asker, &words[done], wishes);
		done += status == INSPECT_OK;
	}
	if (wishes->json)
		code = print_json(words, done);
	else if (are_all)
		print_table(words, done);
	for (unsigned int i = 0; i < done && !wishes->json && !are_all; i++)
		print_word(&words[i]);
	return status != INSPECT_OK ? (int)status : code;
}

int control_main(int argc, char **argv)
{
	struct wishes wishes = { .seconds = WAIT_SECONDS };
	int code = take_arguments(&control_command, argc, argv, &wishes), nr = argc - optind - 1;
	char error[INSPECT_TEXT_BYTES];
	enum inspect_status status;
	struct asker *asker;
	struct word *words;
	const char *pid;

	if (code >= 0)
		return code;
	if (nr < 0) {
		say(stderr, "usermm control: no process given; usage: usermm control PID "
		    "[NAME[=VALUE]...]\n");
		return EXIT_USAGE;
	}
	pid = argv[optind];
	if (!*pid || pid[strspn(pid, "0123456789")]) {
		say(stderr, "usermm control: not a process id: '%s'\n", pid);
		return EXIT_USAGE;
	}
	words = calloc(ARRAY_SIZE(controls) + (size_t)nr, sizeof(*words));
	if (!words) {
		say(stderr, "usermm control: no memory\n");
		return EXIT_NO_MEMORY;
	}
	code = 0;
	for (int i = 0; i < nr && !code; i++)
		code = take_word(argv[optind + 1 + i], &words[i]);
	asker = code ? NULL : asker_open(pid, &status, error);
	if (!code && !asker) {
		say(stderr, "usermm control: %s\n", error);
		code = (int)status;
	}
	if (asker)
		code = ask_all(asker, words, nr ? (unsigned int)nr : take_all(words), !nr, &wishes);
	asker_close(asker);
	free(words);
	return code;
}
