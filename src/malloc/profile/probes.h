/* SPDX-License-Identifier: MIT */
/*
 * USDT probes: where a program outside watches the samples of profile= (bpftrace, SystemTap, perf,
 * gdb, and OpenTelemetry's eBPF profiler, whose names and arguments these are).
 *
 *	otel_memory:alloc(block, size, weight)	a new block is a sample
 *	otel_memory:free(block)			a block that is a sample is freed
 *
 * weight is the number of bytes that the sample stands for: size / p, where p is the probability of
 * point 2 in profile.h. So the weights of all samples add up to the bytes that were asked for, and
 * weight / size adds up to the number of blocks.
 *
 * A probe is a nop, and a note in the file that has the nop's address and the registers of the
 * arguments. Nothing else happens until a tracer puts a breakpoint on the nop.
 */
#ifndef MALLOC_PROFILE_PROBES_H
#define MALLOC_PROFILE_PROBES_H

#include <stddef.h>
#include <stdint.h>

/* The block is not the caller's yet, so no free of it can come first. */
void profile_probe_alloc(const void *block, size_t size, uint64_t weight);
void profile_probe_free(const void *block);

/* The weight of a sampled block of size bytes, at a mean distance of so many bytes. */
uint64_t profile_weight(size_t size, size_t distance);

#endif
