// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "watch/library.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/json.h"
#include "stats/metrics.h"
#include "usermm/command.h"

/* A reader that takes longer hangs, and is given up. */
#define LIMIT_MS 20000

struct library {
	pid_t reader;
	FILE *questions, *answers;
	bool is_lost;		/* an answer did not come; a later one would be taken for another */
	struct usermm_stats stats;
	struct cache_line *lines;
	unsigned int nr_lines, room;
};

/* --- The reader, a process of its own (tools/inspect/numbers.c) ------------------------------- */

static bool start_reader(struct library *library, const char *path, pid_t pid)
{
	char target[16];
	char *const argv[] = { "usermm-inspect", "numbers", target, NULL };
	posix_spawn_file_actions_t actions;
	int questions[2], answers[2], error;

	snprintf(target, sizeof(target), "%d", pid);
	if (pipe2(questions, O_CLOEXEC))
		return false;
	if (pipe2(answers, O_CLOEXEC)) {
		close(questions[0]);
		close(questions[1]);
		return false;
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, questions[0], STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, answers[1], STDOUT_FILENO);
	error = posix_spawn(&library->reader, path, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(questions[0]);
	close(answers[1]);
	library->questions = fdopen(questions[1], "w");
	library->answers = fdopen(answers[0], "r");
	if (error)
		library->reader = 0;
	return !error && library->questions && library->answers;
}

/* The reader's next line, as JSON; NULL: there is none, or it is something else. */
static struct json *read_answer(struct library *library)
{
	struct pollfd ready = { .fd = fileno(library->answers), .events = POLLIN };
	unsigned int bad_line;
	const char *wrong;
	struct json *answer = NULL;
	char *line = NULL;
	size_t room = 0;
	ssize_t length;

	/* Each answer is read to its end, so none is in the stream's buffer. */
	if (poll(&ready, 1, LIMIT_MS) <= 0)
		return NULL;
	length = getline(&line, &room, library->answers);
	if (length > 0)
		answer = json_read(line, (size_t)length, &bad_line, &wrong);
	free(line);
	return answer;
}

struct library *library_open(pid_t pid, char *why, size_t bytes)
{
	struct library *library = calloc(1, sizeof(*library));
	const char *path = inspect_path();
	struct json *answer = NULL;

	snprintf(why, bytes, path ? "out of memory" : "this usermm was built without the reader");
	if (!library || !path) {
		free(library);
		return NULL;
	}
	/* A reader that has ended is no reason to end. */
	signal(SIGPIPE, SIG_IGN);
	if (start_reader(library, path, pid))
		answer = read_answer(library);
	if (answer && !json_member(answer, "error")) {
		json_free(answer);
		return library;
	}
	snprintf(why, bytes, "%s", answer ? json_text(answer, "error") : "the reader has failed");
	json_free(answer);
	library_close(library);
	return NULL;
}

void library_close(struct library *library)
{
	int status;

	if (!library)
		return;
	if (library->questions)
		fclose(library->questions);
	if (library->answers)
		fclose(library->answers);
	/* The reader ends when the pipe of questions is closed; this kills one that hangs. */
	if (library->reader) {
		kill(library->reader, SIGKILL);
		while (waitpid(library->reader, &status, 0) < 0 && errno == EINTR)
			continue;
	}
	free(library->lines);
	free(library);
}

/* --- Numbers -------------------------------------------------------------------------------- */

static const struct metric_table *find_table(const char *name)
{
	for (unsigned int i = 0; i < NR_METRIC_TABLES; i++)
		if (!strcmp(metric_tables[i].name, name))
			return &metric_tables[i];
	return NULL;
}

/* Sets the values of a row by the names that its table gives them. */
static void take_row(const char *table_name, const struct json *row, void *values)
{
	const struct metric_table *table = find_table(table_name);

	for (unsigned int i = 0; i < table->nr_metrics; i++) {
		double number = json_number(row, table->metrics[i].name);
		unsigned long value = isnan(number) || number < 0 ? 0 : (unsigned long)number;

		memcpy((char *)values + table->metrics[i].offset, &value, sizeof(value));
	}
}

/* How many older caches have a name that looks the same. */
static unsigned long count_namesakes(const struct library *library, const char *name)
{
	unsigned long nr = 0;

	for (unsigned int i = 0; i < library->nr_lines; i++)
		nr += metric_texts_look_same(library->lines[i].name, name);
	return nr;
}

static bool take_cache(struct library *library, const struct json *cache)
{
	struct cache_line *line, *lines = library->lines;

	if (library->nr_lines == library->room) {
		library->room = library->room ? 2 * library->room : 64;
		lines = realloc(lines, library->room * sizeof(*lines));
		if (!lines)
			return false;
		library->lines = lines;
	}
	line = &lines[library->nr_lines];
	*line = (struct cache_line){ 0 };
	take_row("caches", cache, line);
	snprintf(line->name, sizeof(line->name), "%.*s", (int)sizeof(line->name) - 1,
		 json_text(cache, "name"));
	line->namesakes = count_namesakes(library, line->name);
	library->nr_lines++;
	return true;
}

bool library_read(struct library *library)
{
	const struct json *stats, *cache;
	struct json *answer;

	if (library->is_lost)
		return false;
	fputc('\n', library->questions);
	answer = fflush(library->questions) ? NULL : read_answer(library);
	library->is_lost = !answer;
	stats = json_member(answer, "stats");
	if (!stats) {
		json_free(answer);
		return false;
	}
	take_row("stats", stats, &library->stats);
	library->nr_lines = 0;
	for (cache = json_first(json_member(answer, "caches")); cache; cache = json_next(cache))
		if (!take_cache(library, cache))
			break;
	json_free(answer);
	return true;
}

const struct usermm_stats *library_stats(const struct library *library)
{
	return &library->stats;
}

const struct cache_line *library_cache(const struct library *library, unsigned int i)
{
	return i < library->nr_lines ? &library->lines[i] : NULL;
}
