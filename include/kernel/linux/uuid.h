/* SPDX-License-Identifier: MIT */
/*
 * 16 bytes that name something: uuid_t has the most significant byte first, guid_t the least
 * significant byte of each field. Texts are parsed and made by the kernel's lib/uuid.c, which is
 * built beside a source that calls it.
 */
#ifdef KERNEL_FOR_SYSINFO
#include_next <linux/uuid.h>
#elif !defined(KERNEL_LINUX_UUID_H)
#define KERNEL_LINUX_UUID_H

#include <linux/string.h>
#include <linux/types.h>

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

extern const guid_t guid_null;
extern const uuid_t uuid_null;
void generate_random_uuid(unsigned char bytes[16]);
void generate_random_guid(unsigned char bytes[16]);
void guid_gen(guid_t *guid);
void uuid_gen(uuid_t *uuid);
bool uuid_is_valid(const char *text);
extern const u8 guid_index[16];
extern const u8 uuid_index[16];
/* 0 or -EINVAL. */
int guid_parse(const char *text, guid_t *guid);
int uuid_parse(const char *text, uuid_t *uuid);

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
