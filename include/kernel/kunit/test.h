/* SPDX-License-Identifier: MIT */
/*
 * KUnit's names (Linux 6.12, include/kunit/test.h) for user space: one test
 * source builds here and inside the kernel.
 *
 * A suite is a table of cases. kunit_test_suite() registers it before main();
 * the runner (kernel/kunit.c) prints KTAP version 1.
 *
 * EXPECT reports a failure and goes on. ASSERT reports it and ends the case, as kunit_skip() does:
 * by a jump to the runner, so only what kunit_add_action() and kunit_kmalloc() have registered is
 * undone. Both may be used in threads that tests/support/threads.h starts; ASSERT then ends this
 * thread.
 */
#ifndef KUNIT_TEST_H
#define KUNIT_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <usermm/gfp.h>

/* As in Linux, a test's source gets these headers without including them. */
#ifndef KUNIT_PLAIN
#include <linux/bug.h>
#include <linux/container_of.h>
#include <linux/err.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/types.h>
#endif

#define KUNIT_PARAM_DESC_SIZE 128

enum kunit_status { KUNIT_SUCCESS, KUNIT_FAILURE, KUNIT_SKIPPED };

enum kunit_speed {
	KUNIT_SPEED_UNSET,
	KUNIT_SPEED_VERY_SLOW,
	KUNIT_SPEED_SLOW,
	KUNIT_SPEED_NORMAL,
};

struct kunit_attributes {
	enum kunit_speed speed;
};

struct kunit;

struct kunit_case {
	void (*run_case)(struct kunit *test);
	const char *name;
	/* Returns the parameter after prev (NULL: the first), or NULL. Writes its name to desc. */
	const void *(*generate_params)(const void *prev, char *desc);
	struct kunit_attributes attr;
};

struct kunit_suite {
	const char name[256];
	int (*suite_init)(struct kunit_suite *suite);
	void (*suite_exit)(struct kunit_suite *suite);
	int (*init)(struct kunit *test);	/* before each case; 0 or -errno */
	void (*exit)(struct kunit *test);	/* after each case */
	struct kunit_case *test_cases;		/* ended by an empty entry */
	struct kunit_attributes attr;
	void *runner;				/* set while the suite runs */
};

struct kunit_resource;

/* One run of one case. Tests use priv, name, param_value and param_index. */
struct kunit {
	void *priv;
	const char *name;
	const void *param_value;
	int param_index;
	enum kunit_status status;		/* Sync: the runner's lock */
	char status_comment[256];
	struct kunit_resource *resources;	/* Sync: the runner's lock */
	void *runner;
};

#define KUNIT_CASE(test_name) { .run_case = test_name, .name = #test_name }
#define KUNIT_CASE_ATTR(test_name, attributes)				\
	{ .run_case = test_name, .name = #test_name, .attr = attributes }
#define KUNIT_CASE_SLOW(test_name)					\
	{ .run_case = test_name, .name = #test_name,			\
	  .attr.speed = KUNIT_SPEED_SLOW }
#define KUNIT_CASE_PARAM(test_name, gen_params)				\
	{ .run_case = test_name, .name = #test_name,			\
	  .generate_params = gen_params }

/* name##_gen_params() for KUNIT_CASE_PARAM; get_desc(entry, desc) or NULL. */
#define KUNIT_ARRAY_PARAM(name, array, get_desc)			\
	static const void *name##_gen_params(const void *prev, char *desc) \
	{								\
		__typeof__((array)[0]) *next =				\
			prev ? (__typeof__(next))prev + 1 : (array);	\
		void (*describe)(__typeof__(next), char *) = get_desc;	\
									\
		if (next >= (array) + sizeof(array) / sizeof((array)[0])) \
			return NULL;					\
		if (describe)						\
			describe(next, desc);				\
		return next;						\
	}

void kunit_register_suites(struct kunit_suite *const *suites, size_t nr);

#define KUNIT_PASTE_(a, b) a##b
#define KUNIT_PASTE(a, b) KUNIT_PASTE_(a, b)
#define kunit_test_suites(...)						\
	__attribute__((constructor)) static void			\
	KUNIT_PASTE(kunit_register_line_, __LINE__)(void)		\
	{								\
		static struct kunit_suite *const suites[] = { __VA_ARGS__ }; \
									\
		kunit_register_suites(suites, sizeof(suites) / sizeof(suites[0])); \
	}
#define kunit_test_init_section_suites(...) kunit_test_suites(__VA_ARGS__)
#define kunit_test_init_section_suite(suite) kunit_test_suites(&(suite))
#define kunit_test_suite(suite) kunit_test_suites(&(suite))

#define kunit_suite_for_each_test_case(suite, test_case)		\
	for (test_case = (suite)->test_cases; test_case->run_case; test_case++)

/* Prints a comment line in the report, for a case or, in a suite's init and exit, for the suite. */
void kunit_printf(void *runner, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
#define kunit_log(level, test_or_suite, format, ...)			\
	kunit_printf((test_or_suite)->runner, (test_or_suite)->name, format, ##__VA_ARGS__)
#define kunit_info(test, format, ...) kunit_log(, test, format, ##__VA_ARGS__)
#define kunit_warn(test, format, ...) kunit_log(, test, format, ##__VA_ARGS__)
#define kunit_err(test, format, ...) kunit_log(, test, format, ##__VA_ARGS__)

/* Ends the case; in another thread than the case's own, ends the thread. */
void kunit_abort(struct kunit *test) __attribute__((__noreturn__));

void kunit_note_skip(struct kunit *test, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
#define kunit_mark_skipped(test, format, ...)				\
	kunit_note_skip(test, format, ##__VA_ARGS__)
#define kunit_skip(test, format, ...)					\
	do {								\
		kunit_note_skip(test, format, ##__VA_ARGS__);		\
		kunit_abort(test);					\
	} while (0)

/* kmalloc() memory that is freed when the case ends. */
void *kunit_kmalloc_array(struct kunit *test, size_t n, size_t size, gfp_t gfp);
void kunit_kfree(struct kunit *test, const void *object);

static inline void *kunit_kmalloc(struct kunit *test, size_t size, gfp_t gfp)
{
	return kunit_kmalloc_array(test, 1, size, gfp);
}

static inline void *kunit_kzalloc(struct kunit *test, size_t size, gfp_t gfp)
{
	return kunit_kmalloc_array(test, 1, size, gfp | __GFP_ZERO);
}

static inline void *kunit_kcalloc(struct kunit *test, size_t n, size_t size, gfp_t gfp)
{
	return kunit_kmalloc_array(test, n, size, gfp | __GFP_ZERO);
}

static inline char *kunit_kstrdup(struct kunit *test, const char *text, gfp_t gfp)
{
	size_t size = text ? __builtin_strlen(text) + 1 : 0;
	char *copy = text ? kunit_kmalloc_array(test, 1, size, gfp) : NULL;

	return copy ? (char *)__builtin_memcpy(copy, text, size) : NULL;
}

#define kunit_kstrdup_const(test, text, gfp) ((const char *)kunit_kstrdup(test, text, gfp))
#define kunit_kfree_const(test, text) kunit_kfree(test, text)

/* A check's place and text, for the first half of a failure report. */
struct kunit_loc {
	const char *file;
	int line;
	bool fatal;
};

#define KUNIT_LOC(is_fatal)						\
	(&(const struct kunit_loc){ __FILE__, __LINE__, is_fatal })

void kunit_fail_text(struct kunit *test, const struct kunit_loc *loc,
		     const char *text, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
void kunit_fail_binary(struct kunit *test, const struct kunit_loc *loc,
		       const char *const text[3], long long left, long long right,
		       const char *format, ...)
	__attribute__((format(printf, 6, 7)));
void kunit_fail_ptr(struct kunit *test, const struct kunit_loc *loc,
		    const char *const text[3], const void *left, const void *right,
		    const char *format, ...)
	__attribute__((format(printf, 6, 7)));
void kunit_fail_str(struct kunit *test, const struct kunit_loc *loc,
		    const char *const text[3], const char *left, const char *right,
		    const char *format, ...)
	__attribute__((format(printf, 6, 7)));
void kunit_fail_mem(struct kunit *test, const struct kunit_loc *loc,
		    const char *const text[3], const void *left, const void *right,
		    size_t size, const char *format, ...)
	__attribute__((format(printf, 7, 8)));

/* Operands and operator as in the source. */
#define KUNIT_TEXT(left, op, right) ((const char *const[3]){ left, op, right })

#define KUNIT_FAIL_IF_FATAL(test, is_fatal)				\
	do {								\
		if (is_fatal)						\
			kunit_abort(test);				\
	} while (0)

/* Operands are evaluated once and compared as C compares them. */
#define KUNIT_BINARY(test, is_fatal, text, left, op, right, ...)	\
	do {								\
		_Pragma("GCC diagnostic push")				\
		_Pragma("GCC diagnostic ignored \"-Wsign-compare\"")	\
		const __typeof__(left) kunit_left_ = (left);		\
		const __typeof__(right) kunit_right_ = (right);		\
									\
		if (__builtin_expect(!(kunit_left_ op kunit_right_), 0)) { \
			kunit_fail_binary(test, KUNIT_LOC(is_fatal), text, \
					  (long long)kunit_left_,	\
					  (long long)kunit_right_, __VA_ARGS__); \
			KUNIT_FAIL_IF_FATAL(test, is_fatal);		\
		}							\
		_Pragma("GCC diagnostic pop")				\
	} while (0)

#define KUNIT_PTR_BINARY(test, is_fatal, text, left, op, right, ...)	\
	do {								\
		const void *const kunit_left_ = (left);			\
		const void *const kunit_right_ = (right);		\
									\
		if (__builtin_expect(!(kunit_left_ op kunit_right_), 0)) { \
			kunit_fail_ptr(test, KUNIT_LOC(is_fatal), text,	\
				       kunit_left_, kunit_right_, __VA_ARGS__); \
			KUNIT_FAIL_IF_FATAL(test, is_fatal);		\
		}							\
	} while (0)

#define KUNIT_STR_BINARY(test, is_fatal, text, left, op, right, ...)	\
	do {								\
		const char *const kunit_left_ = (left);			\
		const char *const kunit_right_ = (right);		\
									\
		if (!kunit_left_ || !kunit_right_ ||			\
		    !(strcmp(kunit_left_, kunit_right_) op 0)) {	\
			kunit_fail_str(test, KUNIT_LOC(is_fatal), text,	\
				       kunit_left_, kunit_right_, __VA_ARGS__); \
			KUNIT_FAIL_IF_FATAL(test, is_fatal);		\
		}							\
	} while (0)

#define KUNIT_MEM_BINARY(test, is_fatal, text, left, op, right, size, ...) \
	do {								\
		const void *const kunit_left_ = (left);			\
		const void *const kunit_right_ = (right);		\
		const size_t kunit_size_ = (size);			\
									\
		if (!kunit_left_ || !kunit_right_ ||			\
		    !(memcmp(kunit_left_, kunit_right_, kunit_size_) op 0)) { \
			kunit_fail_mem(test, KUNIT_LOC(is_fatal), text,	\
				       kunit_left_, kunit_right_, kunit_size_, \
				       __VA_ARGS__);			\
			KUNIT_FAIL_IF_FATAL(test, is_fatal);		\
		}							\
	} while (0)

#define KUNIT_UNARY(test, is_fatal, text, condition, ...)		\
	do {								\
		if (__builtin_expect(!(condition), 0)) {		\
			kunit_fail_text(test, KUNIT_LOC(is_fatal), text, \
					__VA_ARGS__);			\
			KUNIT_FAIL_IF_FATAL(test, is_fatal);		\
		}							\
	} while (0)

static inline bool kunit_is_err_or_null(const void *ptr)
{
	return !ptr || (unsigned long)ptr >= (unsigned long)-4095L;
}

#define KUNIT_FAIL(test, ...)						\
	kunit_fail_text(test, KUNIT_LOC(false), NULL, __VA_ARGS__)
#define KUNIT_FAIL_AND_ABORT(test, ...)					\
	do {								\
		kunit_fail_text(test, KUNIT_LOC(true), NULL, __VA_ARGS__); \
		kunit_abort(test);					\
	} while (0)
#define KUNIT_SUCCEED(test) do { (void)(test); } while (0)

#include <kunit/checks.h>

#ifndef KUNIT_PLAIN
#include <kunit/resource.h>
#endif

#endif
