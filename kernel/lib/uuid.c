// SPDX-License-Identifier: MIT
/* UUIDs as text, and random ones: see linux/uuid.h. RFC 9562. */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/hex.h>
#include <linux/random.h>
#include <linux/uuid.h>

const guid_t guid_null;
const uuid_t uuid_null;
const u8 guid_index[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
const u8 uuid_index[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };

/* version_at is the byte with the version in its high half. */
static void generate(unsigned char *bytes, unsigned int version_at)
{
	get_random_bytes(bytes, UUID_SIZE);
	bytes[version_at] = (unsigned char)((bytes[version_at] & 0x0f) | 0x40);
	bytes[8] = (unsigned char)((bytes[8] & 0x3f) | 0x80);
}

void generate_random_uuid(unsigned char bytes[16])
{
	generate(bytes, 6);
}

void generate_random_guid(unsigned char bytes[16])
{
	generate(bytes, 7);
}

void uuid_gen(uuid_t *uuid)
{
	generate(uuid->b, 6);
}

void guid_gen(guid_t *guid)
{
	generate(guid->b, 7);
}

static bool is_hyphen(unsigned int at)
{
	return at == 8 || at == 13 || at == 18 || at == 23;
}

bool uuid_is_valid(const char *text)
{
	for (unsigned int i = 0; i < UUID_STRING_LEN; i++)
		if (is_hyphen(i) ? text[i] != '-' : !isxdigit(text[i]))
			return false;
	return true;
}

static int parse(const char *text, __u8 *bytes, const u8 *index)
{
	unsigned int at = 0;

	if (!uuid_is_valid(text))
		return -EINVAL;
	for (unsigned int i = 0; i < UUID_SIZE; i++, at += 2) {
		at += is_hyphen(at);
		bytes[index[i]] = (__u8)(hex_to_bin(text[at]) << 4 | hex_to_bin(text[at + 1]));
	}
	return 0;
}

int uuid_parse(const char *text, uuid_t *uuid)
{
	return parse(text, uuid->b, uuid_index);
}

int guid_parse(const char *text, guid_t *guid)
{
	return parse(text, guid->b, guid_index);
}
