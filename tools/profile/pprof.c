// SPDX-License-Identifier: MIT
/*
 * pprof's form: protocol buffers, by the numbers of profile.proto of github.com/google/pprof. A
 * message is a row of fields, each with its number and a value; a message in a field has its
 * length in front. So inner messages are made first.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/compiler.h"
#include "profile/memory.h"
#include "profile/outputs.h"
#include "report/files.h"
#include "usermm/command.h"

/* The fields that are written, by message. */
enum {
	PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE, PROFILE_MAPPING, PROFILE_LOCATION,
	PROFILE_FUNCTION, PROFILE_STRING_TABLE, PROFILE_TIME_NANOS = 9, PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD, PROFILE_COMMENT, PROFILE_DEFAULT_SAMPLE_TYPE,
	VALUE_TYPE = 1, VALUE_UNIT,
	SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL,
	LABEL_KEY = 1, LABEL_NUM = 3, LABEL_UNIT,
	MAPPING_ID = 1, MAPPING_START, MAPPING_LIMIT, MAPPING_OFFSET, MAPPING_FILE,
	MAPPING_BUILD_ID, MAPPING_HAS_FUNCTIONS, MAPPING_HAS_FILES, MAPPING_HAS_LINES,
	MAPPING_HAS_INLINES,
	LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE,
	LINE_FUNCTION = 1, LINE_NUMBER,
	FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE,
};

struct message {
	unsigned char *bytes;
	size_t length, room;
};

/* A thing that has a number in the file: its key is text, or an address. */
struct numbered {
	char *text;
	const void *key;
	uint64_t number;
};

struct writer {
	const struct profile *profile;
	struct message out;		/* the whole profile */
	void *strings, *functions, *locations, *mappings;	/* trees of search.h */
	uint64_t nr_strings, nr_functions, nr_locations, nr_mappings;
};

/* --- Messages ------------------------------------------------------------------------------ */

static void put_byte(struct message *message, unsigned char byte)
{
	if (message->length == message->room) {
		message->room = message->room ? 2 * message->room : 256;
		message->bytes = need(realloc(message->bytes, message->room));
	}
	message->bytes[message->length++] = byte;
}

static void put_varint(struct message *message, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		put_byte(message, (unsigned char)(value | 0x80));
	put_byte(message, (unsigned char)value);
}

/* A field of 0 is left out: that is what a missing one means. */
static void put_number(struct message *message, unsigned int field, uint64_t value)
{
	if (!value)
		return;
	put_varint(message, field << 3);
	put_varint(message, value);
}

static void put_bytes(struct message *message, unsigned int field, const void *bytes,
		      size_t length)
{
	const unsigned char *at = bytes;

	put_varint(message, field << 3 | 2);
	put_varint(message, length);
	for (size_t i = 0; i < length; i++)
		put_byte(message, at[i]);
}

/* Puts the inner message into the field, and empties it. */
static void put_message(struct message *message, unsigned int field, struct message *inner)
{
	put_bytes(message, field, inner->bytes, inner->length);
	free(inner->bytes);
	*inner = (struct message){ 0 };
}

/* --- What has numbers ---------------------------------------------------------------------- */

static int by_text_or_key(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;

	if (x->text && y->text)
		return strcmp(x->text, y->text);
	return (x->key > y->key) - (x->key < y->key);
}

static void free_numbered(void *node)
{
	free(((struct numbered *)node)->text);
	free(node);
}

/* The entry of the text or key. *is_new: it is not in the file yet, and gets the next number. */
static struct numbered *find_numbered(void **tree, const char *text, const void *key, bool *is_new)
{
	struct numbered *entry = need(calloc(1, sizeof(*entry))), *found;

	entry->text = text ? copy_text(text) : NULL;
	entry->key = key;
	found = *(struct numbered **)need(tsearch(entry, tree, by_text_or_key));
	*is_new = found == entry;
	if (!*is_new)
		free_numbered(entry);
	return found;
}

/* Strings have their index as number; that of "" is 0. */
static uint64_t string_number(struct writer *writer, const char *text)
{
	bool is_new;
	struct numbered *entry = find_numbered(&writer->strings, text, NULL, &is_new);

	if (is_new) {
		entry->number = writer->nr_strings++;
		put_bytes(&writer->out, PROFILE_STRING_TABLE, text, strlen(text));
	}
	return entry->number;
}

static uint64_t function_number(struct writer *writer, const struct code_frame *frame)
{
	bool is_new;
	struct numbered *entry = find_numbered(&writer->functions, frame->function, NULL, &is_new);
	struct message message = { 0 };

	if (!is_new)
		return entry->number;
	entry->number = ++writer->nr_functions;
	put_number(&message, FUNCTION_ID, entry->number);
	put_number(&message, FUNCTION_NAME, string_number(writer, frame->function));
	put_number(&message, FUNCTION_SYSTEM_NAME, string_number(writer, frame->function));
	put_number(&message, FUNCTION_FILE, string_number(writer, frame->file ? frame->file : ""));
	put_message(&writer->out, PROFILE_FUNCTION, &message);
	return entry->number;
}

/* All mappings are written once all locations are: only then is known what was found in them. */
static uint64_t mapping_number(struct writer *writer, const struct mapping *mapping)
{
	bool is_new;
	struct numbered *entry;

	if (!mapping)
		return 0;
	entry = find_numbered(&writer->mappings, NULL, mapping, &is_new);
	if (is_new)
		entry->number = ++writer->nr_mappings;
	return entry->number;
}

static void put_mapping(struct writer *writer, const struct mapping *mapping)
{
	uint64_t number = mapping_number(writer, mapping);
	struct message message = { 0 };

	put_number(&message, MAPPING_ID, number);
	put_number(&message, MAPPING_START, mapping->start);
	put_number(&message, MAPPING_LIMIT, mapping->limit);
	put_number(&message, MAPPING_OFFSET, mapping->offset);
	put_number(&message, MAPPING_FILE, string_number(writer, mapping->path));
	put_number(&message, MAPPING_BUILD_ID, string_number(writer, mapping->build_id));
	put_number(&message, MAPPING_HAS_FUNCTIONS, mapping->has_functions);
	put_number(&message, MAPPING_HAS_FILES, mapping->has_lines);
	put_number(&message, MAPPING_HAS_LINES, mapping->has_lines);
	put_number(&message, MAPPING_HAS_INLINES, mapping->has_lines);
	put_message(&writer->out, PROFILE_MAPPING, &message);
}

static uint64_t location_number(struct writer *writer, const struct location *location)
{
	bool is_new;
	struct numbered *entry = find_numbered(&writer->locations, NULL, location, &is_new);
	struct message message = { 0 }, line = { 0 };

	if (!is_new)
		return entry->number;
	entry->number = ++writer->nr_locations;
	put_number(&message, LOCATION_ID, entry->number);
	put_number(&message, LOCATION_MAPPING, mapping_number(writer, location->mapping));
	put_number(&message, LOCATION_ADDRESS, location->address - 1);
	for (unsigned int i = 0; i < location->nr_frames; i++) {
		const struct code_frame *frame = &location->frames[i];

		/* Without a name, readers show the address; pprof itself may know more. */
		if (!frame->has_name)
			continue;
		put_number(&line, LINE_FUNCTION, function_number(writer, frame));
		put_number(&line, LINE_NUMBER, (uint64_t)frame->line);
		put_message(&message, LOCATION_LINE, &line);
	}
	put_message(&writer->out, PROFILE_LOCATION, &message);
	return entry->number;
}

/* --- The profile --------------------------------------------------------------------------- */

/* In the order that pprof itself has for heap profiles. */
static const struct {
	const char *type, *unit;
	enum figure figure;
} types[] = {
	{ "alloc_objects", "count", ALLOCATED_BLOCKS },
	{ "alloc_space", "bytes", ALLOCATED_BYTES },
	{ "inuse_objects", "count", IN_USE_BLOCKS },
	{ "inuse_space", "bytes", IN_USE_BYTES },
};

static void put_type(struct writer *writer, unsigned int field, const char *type, const char *unit)
{
	struct message message = { 0 };

	put_number(&message, VALUE_TYPE, string_number(writer, type));
	put_number(&message, VALUE_UNIT, string_number(writer, unit));
	put_message(&writer->out, field, &message);
}

/* The size of the sample's blocks, as pprof's label of that name. */
static void put_size_label(struct writer *writer, struct message *message,
			   const struct sample *sample)
{
	double blocks = sample->figures[ALLOCATED_BLOCKS];
	struct message label = { 0 };

	if (blocks <= 0)
		return;
	put_number(&label, LABEL_KEY, string_number(writer, "bytes"));
	put_number(&label, LABEL_NUM, (uint64_t)llround(sample->figures[ALLOCATED_BYTES] / blocks));
	put_number(&label, LABEL_UNIT, string_number(writer, "bytes"));
	put_message(message, SAMPLE_LABEL, &label);
}

static void put_sample(struct writer *writer, enum when when, const struct sample *sample)
{
	struct message message = { 0 }, packed = { 0 };

	for (unsigned int i = 0; i < sample->nr_frames; i++)
		put_varint(&packed, location_number(writer, code_locate(writer->profile->code[when],
									sample->frames[i])));
	put_message(&message, SAMPLE_LOCATION, &packed);
	for (unsigned int i = 0; i < ARRAY_SIZE(types); i++) {
		int64_t value = llround(sample->figures[types[i].figure]);

		put_varint(&packed, (uint64_t)(when == BEFORE ? -value : value));
	}
	put_message(&message, SAMPLE_VALUE, &packed);
	put_size_label(writer, &message, sample);
	put_message(&writer->out, PROFILE_SAMPLE, &message);
}

static void put_mappings(struct writer *writer, enum when when)
{
	const struct code *code = writer->profile->code[when];
	const struct mapping *mapping;

	for (size_t i = 0; code && (mapping = code_mapping(code, i)); i++)
		if (mapping->was_looked_up)
			put_mapping(writer, mapping);
}

static void put_profile(struct writer *writer)
{
	const struct samples *samples = writer->profile->samples;

	string_number(writer, "");
	for (unsigned int i = 0; i < ARRAY_SIZE(types); i++)
		put_type(writer, PROFILE_SAMPLE_TYPE, types[i].type, types[i].unit);
	put_type(writer, PROFILE_PERIOD_TYPE, "space", "bytes");
	put_number(&writer->out, PROFILE_PERIOD, samples[NOW].distance);
	put_number(&writer->out, PROFILE_TIME_NANOS,
		   (uint64_t)samples[NOW].written.tv_sec * 1000000000 +
		   (uint64_t)samples[NOW].written.tv_nsec);
	put_number(&writer->out, PROFILE_DEFAULT_SAMPLE_TYPE,
		   string_number(writer, "inuse_space"));
	for (unsigned int when = 0; when < NR_TIMES; when++) {
		for (unsigned int i = 0; i < samples[when].nr_missing; i++)
			put_number(&writer->out, PROFILE_COMMENT,
				   string_number(writer, samples[when].missing[i]));
		for (size_t i = 0; i < samples[when].nr; i++)
			put_sample(writer, when, &samples[when].all[i]);
	}
	for (unsigned int when = 0; when < NR_TIMES; when++)
		put_mappings(writer, when);
}

/* --- The file ------------------------------------------------------------------------------ */

#define GZIP_FORMAT (15 + 16)	/* of deflateInit2(): the largest window, with gzip's head */

static bool is_packed(const char *path)
{
	size_t length = strlen(path);

	return length > 3 && !strcmp(path + length - 3, ".gz");
}

static struct message pack(const struct message *plain)
{
	struct message packed = { 0 };
	z_stream stream = { 0 };

	if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_FORMAT, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		need(NULL);
	packed.room = deflateBound(&stream, plain->length);
	packed.bytes = need(malloc(packed.room));
	stream.next_in = plain->bytes;
	stream.avail_in = (uInt)plain->length;
	stream.next_out = packed.bytes;
	stream.avail_out = (uInt)packed.room;
	if (deflate(&stream, Z_FINISH) != Z_STREAM_END)
		need(NULL);
	packed.length = packed.room - stream.avail_out;
	deflateEnd(&stream);
	return packed;
}

int write_pprof(const struct command *command, const struct profile *profile, const char *path)
{
	struct writer writer = { .profile = profile };
	struct output output;
	int status;

	put_profile(&writer);
	if (is_packed(path)) {
		struct message packed = pack(&writer.out);

		free(writer.out.bytes);
		writer.out = packed;
	}
	status = output_open(&output, command, path);
	if (!status)
		fwrite(writer.out.bytes, 1, writer.out.length, output.to);
	status = output_close(&output, status);
	free(writer.out.bytes);
	tdestroy(writer.strings, free_numbered);
	tdestroy(writer.functions, free_numbered);
	tdestroy(writer.locations, free_numbered);
	tdestroy(writer.mappings, free_numbered);
	return status;
}
