/* SPDX-License-Identifier: MIT */
/*
 * Reads the file that profile= writes (src/malloc/profile/profile_write.c has the format), and
 * estimates the heap from its samples.
 */
#ifndef PROFILE_SAMPLES_H
#define PROFILE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum figure {
	IN_USE_BYTES,
	IN_USE_BLOCKS,
	ALLOCATED_BYTES,
	ALLOCATED_BLOCKS,
	NR_FIGURES,
};

/* One stack, with blocks of nearly one size. */
struct sample {
	const uint64_t *frames;		/* return addresses, that in malloc()'s caller first */
	unsigned int nr_frames;
	double figures[NR_FIGURES];	/* estimates */
};

struct samples {
	const char *path;
	struct timespec written;	/* the file's time */
	uint64_t distance;		/* one sample in so many bytes */
	uint64_t nr_in_use, nr_allocated;	/* samples that were taken */
	struct sample *all;
	size_t nr;
	double sums[NR_FIGURES];
	char **missing;			/* what the file says that it lacks */
	unsigned int nr_missing;
	const char *maps;		/* lines of /proc/PID/maps */
	size_t maps_bytes;

	char *text;
	uint64_t *frames;
};

struct command;

/* 0, or the exit status after a message. samples_free() in any case. */
int samples_read(const struct command *command, const char *path, struct samples *samples);
void samples_free(struct samples *samples);

#endif
