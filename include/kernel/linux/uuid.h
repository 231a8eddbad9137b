/* SPDX-License-Identifier: MIT */
/*
 * 16 bytes that name something: uuid_t has the most significant byte first, guid_t the least
 * significant byte of each field.
 */
#ifdef KERNEL_FOR_SYSINFO
#include_next <linux/uuid.h>
#elif !defined(KERNEL_LINUX_UUID_H)
#define KERNEL_LINUX_UUID_H

#include <linux/string.h>
#include <linux/types.h>
#include <usermm/compiler.h>

#define UUID_SIZE 16
#define UUID_STRING_LEN 36

typedef struct {
	__u8 b[UUID_SIZE];
} guid_t;

typedef struct {
	__u8 b[UUID_SIZE];
} uuid_t;

#define USERMM_BYTE(x, nr) (__u8)((x) >> 8 * (nr))
#define GUID_INIT(a, b, c, d0, d1, d2, d3, d4, d5, d6, d7)		\
	((guid_t){ { USERMM_BYTE(a, 0), USERMM_BYTE(a, 1), USERMM_BYTE(a, 2), USERMM_BYTE(a, 3), \
		     USERMM_BYTE(b, 0), USERMM_BYTE(b, 1), USERMM_BYTE(c, 0), USERMM_BYTE(c, 1), \
		     d0, d1, d2, d3, d4, d5, d6, d7 } })
#define UUID_INIT(a, b, c, d0, d1, d2, d3, d4, d5, d6, d7)		\
	((uuid_t){ { USERMM_BYTE(a, 3), USERMM_BYTE(a, 2), USERMM_BYTE(a, 1), USERMM_BYTE(a, 0), \
		     USERMM_BYTE(b, 1), USERMM_BYTE(b, 0), USERMM_BYTE(c, 1), USERMM_BYTE(c, 0), \
		     d0, d1, d2, d3, d4, d5, d6, d7 } })

USERMM_BEGIN_DECLS

extern const guid_t guid_null USERMM_API(guid_null);
extern const uuid_t uuid_null USERMM_API(uuid_null);
/* Random ones, of version 4. In any context. */
void generate_random_uuid(unsigned char bytes[16]) USERMM_API(generate_random_uuid);
void generate_random_guid(unsigned char bytes[16]) USERMM_API(generate_random_guid);
void guid_gen(guid_t *guid) USERMM_API(guid_gen);
void uuid_gen(uuid_t *uuid) USERMM_API(uuid_gen);
/* Whether the text begins with 36 characters of a UUID. */
bool uuid_is_valid(const char *text) USERMM_API(uuid_is_valid);
/* For each two digits of a text: the index of the byte that they stand for. */
extern const u8 guid_index[16] USERMM_API(guid_index);
extern const u8 uuid_index[16] USERMM_API(uuid_index);
/* 0 or -EINVAL. */
int guid_parse(const char *text, guid_t *guid) USERMM_API(guid_parse);
int uuid_parse(const char *text, uuid_t *uuid) USERMM_API(uuid_parse);

USERMM_END_DECLS

#define USERMM_UUID_CALLS(name)						\
	static inline bool name##_equal(const name##_t *a, const name##_t *b) \
	{								\
		return !memcmp(a, b, sizeof(*a));			\
	}								\
	static inline void name##_copy(name##_t *to, const name##_t *from) \
	{								\
		memcpy(to, from, sizeof(*to));				\
	}								\
	static inline bool name##_is_null(const name##_t *a)		\
	{								\
		return mem_is_zero(a, sizeof(*a));			\
	}								\
	static inline void import_##name(name##_t *to, const __u8 *from) \
	{								\
		memcpy(to, from, sizeof(*to));				\
	}								\
	static inline void export_##name(__u8 *to, const name##_t *from) \
	{								\
		memcpy(to, from, sizeof(*from));			\
	}
USERMM_UUID_CALLS(guid)
USERMM_UUID_CALLS(uuid)
#undef USERMM_UUID_CALLS

#endif
