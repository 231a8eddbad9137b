// SPDX-License-Identifier: MIT
#include "profile/samples.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "report/files.h"
#include "usermm/command.h"
#include "usermm/say.h"

#define MAPS_HEADING "MAPPED_LIBRARIES:"
/*
 * The most callers of a stack. usermm keeps far fewer, and files of other programs have a few
 * dozen. The limit keeps trees of stacks from growing too deep.
 */
#define FRAMES_MAX 1024

/* The text that is read, and what is wrong with it. */
struct reader {
	const char *at;
	unsigned int line;
	const char *wrong;
};

static void skip_spaces(struct reader *reader)
{
	while (*reader->at == ' ')
		reader->at++;
}

/* The text, which may have spaces in front, is next. */
static bool take(struct reader *reader, const char *text)
{
	skip_spaces(reader);
	if (strncmp(reader->at, text, strlen(text)))
		return false;
	reader->at += strlen(text);
	return true;
}

static bool take_number(struct reader *reader, int base, uint64_t *number)
{
	char *end;

	skip_spaces(reader);
	if (*reader->at < '0' || *reader->at > '9')
		return false;
	errno = 0;
	*number = strtoull(reader->at, &end, base);
	if (errno || end == reader->at)
		return false;
	reader->at = end;
	return true;
}

/* "NR: BYTES [NR: BYTES] @", in use and of all. */
static bool take_sums(struct reader *reader, uint64_t sums[4])
{
	return take_number(reader, 10, &sums[0]) && take(reader, ":") &&
	       take_number(reader, 10, &sums[1]) && take(reader, "[") &&
	       take_number(reader, 10, &sums[2]) && take(reader, ":") &&
	       take_number(reader, 10, &sums[3]) && take(reader, "]") && take(reader, "@");
}

static bool end_line(struct reader *reader)
{
	skip_spaces(reader);
	if (*reader->at != '\n')
		return false;
	reader->at++;
	reader->line++;
	return true;
}

static bool read_head(struct reader *reader, struct samples *samples)
{
	uint64_t sums[4];

	reader->wrong = "no head: give a file that profile= has written";
	if (!take(reader, "heap profile:") || !take_sums(reader, sums) ||
	    !take(reader, "heap_v2/") || !take_number(reader, 10, &samples->distance) ||
	    !samples->distance || !end_line(reader))
		return false;
	samples->nr_in_use = sums[0];
	samples->nr_allocated = sums[2];
	return true;
}

/* Estimates how many blocks and bytes were allocated, if nr samples have these bytes together. */
static void estimate(uint64_t nr, uint64_t bytes, uint64_t distance, double *blocks_out,
		     double *bytes_out)
{
	double size = nr ? (double)bytes / (double)nr : 0;
	double weight = size > 0 ? 1 / -expm1(-size / (double)distance) : 0;

	*blocks_out = (double)nr * weight;
	*bytes_out = (double)bytes * weight;
}

static bool read_sample(struct reader *reader, struct samples *samples, uint64_t **frames)
{
	struct sample *sample = &samples->all[samples->nr];
	uint64_t sums[4];

	reader->wrong = "neither a sample nor the heading " MAPS_HEADING;
	if (!take_sums(reader, sums))
		return false;
	*sample = (struct sample){ .frames = *frames };
	while (take(reader, "0x")) {
		reader->at -= 2;
		if (!take_number(reader, 16, (*frames)++))
			return false;
		if (++sample->nr_frames > FRAMES_MAX) {
			reader->wrong = "a stack that is too deep";
			return false;
		}
	}
	estimate(sums[0], sums[1], samples->distance, &sample->figures[IN_USE_BLOCKS],
		 &sample->figures[IN_USE_BYTES]);
	estimate(sums[2], sums[3], samples->distance, &sample->figures[ALLOCATED_BLOCKS],
		 &sample->figures[ALLOCATED_BYTES]);
	for (unsigned int i = 0; i < NR_FIGURES; i++)
		samples->sums[i] += sample->figures[i];
	samples->nr++;
	return end_line(reader);
}

/* "# ...": which samples the file lacks. */
static void read_missing(struct reader *reader, struct samples *samples)
{
	const char *start = reader->at + strspn(reader->at, "# ");
	size_t length = strcspn(start, "\n");
	char **missing = realloc(samples->missing, (samples->nr_missing + 1) * sizeof(*missing));

	if (missing) {
		samples->missing = missing;
		missing[samples->nr_missing++] = strndup(start, length);
	}
	reader->at = start + length;
}

static bool read_all(struct reader *reader, struct samples *samples)
{
	uint64_t *frames = samples->frames;

	if (!read_head(reader, samples))
		return false;
	while (!take(reader, MAPS_HEADING)) {
		if (*reader->at == '#') {
			read_missing(reader, samples);
			if (!end_line(reader))
				return false;
		} else if (!end_line(reader) && !read_sample(reader, samples, &frames)) {
			return false;
		}
	}
	if (!end_line(reader))
		return false;
	samples->maps = reader->at;
	samples->maps_bytes = strlen(reader->at);
	while (*reader->at) {
		reader->at += strcspn(reader->at, "\n");
		if (!end_line(reader))
			return false;
	}
	return true;
}

/* Room for all samples and frames that a text can have. */
static bool make_room(struct samples *samples)
{
	size_t lines = 1, addresses = 1;

	for (const char *at = samples->text; *at; at++) {
		lines += *at == '\n';
		addresses += *at == 'x';
	}
	samples->all = calloc(lines, sizeof(*samples->all));
	samples->frames = calloc(addresses, sizeof(*samples->frames));
	return samples->all && samples->frames;
}

int samples_read(const struct command *command, const char *path, struct samples *samples)
{
	struct reader reader = { .line = 1 };
	struct stat stat_of;
	size_t length;
	int code;

	*samples = (struct samples){ .path = path };
	if (!stat(path, &stat_of))
		samples->written = stat_of.st_mtim;
	code = file_read(command, path, &samples->text, &length);
	if (code)
		return code;
	if (!make_room(samples))
		return file_complain(command, path, "out of memory", EXIT_NO_MEMORY);
	reader.at = samples->text;
	if (strlen(samples->text) == length && read_all(&reader, samples))
		return 0;
	if (!reader.wrong || strlen(samples->text) != length)
		reader.wrong = "a zero byte: this is no file that profile= has written";
	else if (!*reader.at)
		reader.wrong = "the end of the file, which was cut off";
	say(stderr, "usermm %s: %s: line %u has %s\n", command->name, path, reader.line,
	    reader.wrong);
	return EXIT_BAD_INPUT;
}

void samples_free(struct samples *samples)
{
	for (unsigned int i = 0; i < samples->nr_missing; i++)
		free(samples->missing[i]);
	free(samples->missing);
	free(samples->all);
	free(samples->frames);
	free(samples->text);
	*samples = (struct samples){ 0 };
}
