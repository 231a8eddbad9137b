/* SPDX-License-Identifier: MIT */
/*
 * KUnit's names (Linux 7.3, include/kunit/test.h) for user space: one test
 * source builds here and inside the kernel.
 *
 * A suite is a table of cases. kunit_test_suite() registers it before main();
 * the runner (kernel/kunit/kunit.c) prints KTAP version 1.
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
#include <linux/version.h>
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

/*
 * Returns the parameter after prev (NULL: the first), or NULL. Writes its name to desc. `test` is
 * the parent of the cases that run with the parameters. Up to Linux 6.17 there was no `test`.
 */
typedef const void *(*kunit_generator_t)(struct kunit *test, const void *prev, char *desc);
typedef const void *(*kunit_old_generator_t)(const void *prev, char *desc);

/*
 * With parameters: param_init() runs before the first parameter is generated, param_exit() after
 * the last case. Both get the parent.
 */
struct kunit_case {
	void (*run_case)(struct kunit *test);
	const char *name;
	kunit_generator_t generate_params;
	kunit_old_generator_t generate_params_old;	/* instead of generate_params */
	struct kunit_attributes attr;
	int (*param_init)(struct kunit *test);		/* 0 or -errno */
	void (*param_exit)(struct kunit *test);
	enum kunit_status status;			/* written by the runner */
};

struct kunit_suite {
	const char name[256];
	int (*suite_init)(struct kunit_suite *suite);
	void (*suite_exit)(struct kunit_suite *suite);
	int (*init)(struct kunit *test);	/* before each case; 0 or -errno */
	void (*exit)(struct kunit *test);	/* after each case */
	struct kunit_case *test_cases;		/* ended by an empty entry */
	struct kunit_attributes attr;
	enum kunit_status status;		/* set while the suite runs, as are the others */
	char status_comment[256];
	void *runner;
};

struct kunit_resource;

/* An array of parameters; see kunit_register_params_array(). */
struct kunit_params {
	const void *params;
	void (*get_description)(struct kunit *test, const void *param, char *desc);
	size_t num_params;
	size_t elem_size;
};

/*
 * One run of one case, or the parent of the runs with parameters. Tests use priv, name, parent,
 * param_value and param_index.
 */
struct kunit {
	void *priv;
	const char *name;
	struct kunit *parent;			/* NULL without parameters */
	struct kunit_params params_array;	/* of a parent */
	const void *param_value;
	int param_index;			/* from 1 on; up to Linux 6.17 from 0 on */
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
/* Takes generators of both forms, whatever the version. */
#define KUNIT_GENERATOR(gen)						\
	.generate_params = _Generic(&*(gen), kunit_generator_t: (gen),	\
				    kunit_old_generator_t: NULL),	\
	.generate_params_old = _Generic(&*(gen), kunit_generator_t: NULL, \
					kunit_old_generator_t: (gen))
#define KUNIT_CASE_PARAM(test_name, gen_params)				\
	{ .run_case = test_name, .name = #test_name, KUNIT_GENERATOR(gen_params) }
#define KUNIT_CASE_PARAM_ATTR(test_name, gen_params, attributes)	\
	{ .run_case = test_name, .name = #test_name, KUNIT_GENERATOR(gen_params), \
	  .attr = attributes }
#define KUNIT_CASE_PARAM_WITH_INIT(test_name, gen_params, init, exit)	\
	{ .run_case = test_name, .name = #test_name, KUNIT_GENERATOR(gen_params), \
	  .param_init = init, .param_exit = exit }

/*
 * Defines name##_gen_params(), in the form of the version. KUNIT_ARRAY_PARAM takes a function that
 * writes the name of an entry, or NULL; KUNIT_ARRAY_PARAM_DESC the entry's field with the name.
 */
#ifndef KUNIT_PLAIN
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 18, 0)
#define KUNIT_OLD_GENERATORS 1
#endif
#endif
#ifndef KUNIT_OLD_GENERATORS
#define KUNIT_DEFINE_ARRAY_PARAM(name, array, describe)			\
	static const void *name##_gen_params(struct kunit *test, const void *prev, char *desc) \
	{								\
		const __typeof__((array)[0]) *entry =			\
			prev ? (const __typeof__((array)[0]) *)prev + 1 : (array); \
									\
		if (!prev)						\
			kunit_register_params_array(test, array,	\
				sizeof(array) / sizeof((array)[0]), NULL); \
		if (entry >= (array) + sizeof(array) / sizeof((array)[0])) \
			return NULL;					\
		describe;						\
		return entry;						\
	}
#else
#define KUNIT_DEFINE_ARRAY_PARAM(name, array, describe)			\
	static const void *name##_gen_params(const void *prev, char *desc) \
	{								\
		const __typeof__((array)[0]) *entry =			\
			prev ? (const __typeof__((array)[0]) *)prev + 1 : (array); \
									\
		if (entry >= (array) + sizeof(array) / sizeof((array)[0])) \
			return NULL;					\
		describe;						\
		return entry;						\
	}
#endif
#define KUNIT_ARRAY_PARAM(name, array, get_desc)			\
	KUNIT_DEFINE_ARRAY_PARAM(name, array,				\
		void (*write_desc)(__typeof__(&(array)[0]), char *) = get_desc;	\
		if (write_desc)						\
			write_desc((__typeof__(&(array)[0]))entry, desc))
#define KUNIT_ARRAY_PARAM_DESC(name, array, desc_member)		\
	KUNIT_DEFINE_ARRAY_PARAM(name, array,				\
		kunit_copy_desc(desc, entry->desc_member))

static inline void kunit_copy_desc(char *desc, const char *text)
{
	size_t length = __builtin_strlen(text);

	if (length >= KUNIT_PARAM_DESC_SIZE)
		length = KUNIT_PARAM_DESC_SIZE - 1;
	__builtin_memcpy(desc, text, length);
	desc[length] = '\0';
}

/* The parent's parameters, for param_init(); kunit_array_gen_params() hands them out. */
#define kunit_register_params_array(test, array, param_count, get_desc)	\
	((test)->params_array = (struct kunit_params){			\
		.params = &(array)[0], .num_params = (param_count),	\
		.elem_size = sizeof((array)[0]), .get_description = (get_desc) })
const void *kunit_array_gen_params(struct kunit *test, const void *prev, char *desc);

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

void kunit_note_skip(enum kunit_status *status, char comment[256], const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* A suite skips itself in suite_init(). */
#define kunit_mark_skipped(test_or_suite, format, ...)			\
	kunit_note_skip(&(test_or_suite)->status, (test_or_suite)->status_comment, format, \
			##__VA_ARGS__)
#define kunit_skip(test, format, ...)					\
	do {								\
		kunit_mark_skipped(test, format, ##__VA_ARGS__);	\
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

/* KUNIT_FAIL(): the message alone. */
void kunit_fail_text(struct kunit *test, const struct kunit_loc *loc, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void kunit_fail_unary(struct kunit *test, const struct kunit_loc *loc, const char *text,
		      bool expected, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
void kunit_fail_not_err(struct kunit *test, const struct kunit_loc *loc, const char *text,
			const void *value, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
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

/* NULL as Linux's reports show it. */
#define KUNIT_NULL_TEXT "((void *)0)"
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
		if (kunit_is_err_or_null(kunit_left_) || kunit_is_err_or_null(kunit_right_) || \
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

#define KUNIT_UNARY(test, is_fatal, text, condition, expected, ...)	\
	do {								\
		if (__builtin_expect((_Bool)(condition) != (expected), 0)) { \
			kunit_fail_unary(test, KUNIT_LOC(is_fatal), text, expected, \
					 __VA_ARGS__);			\
			KUNIT_FAIL_IF_FATAL(test, is_fatal);		\
		}							\
	} while (0)

#define KUNIT_NOT_ERR(test, is_fatal, text, ptr, ...)			\
	do {								\
		const void *const kunit_ptr_ = (ptr);			\
									\
		if (__builtin_expect(kunit_is_err_or_null(kunit_ptr_), 0)) { \
			kunit_fail_not_err(test, KUNIT_LOC(is_fatal), text, kunit_ptr_, \
					   __VA_ARGS__);		\
			KUNIT_FAIL_IF_FATAL(test, is_fatal);		\
		}							\
	} while (0)

static inline bool kunit_is_err_or_null(const void *ptr)
{
	return !ptr || (unsigned long)ptr >= (unsigned long)-4095L;
}

#define KUNIT_FAIL(test, ...)						\
	kunit_fail_text(test, KUNIT_LOC(false), __VA_ARGS__)
#define KUNIT_FAIL_AND_ABORT(test, ...)					\
	do {								\
		kunit_fail_text(test, KUNIT_LOC(true), __VA_ARGS__); \
		kunit_abort(test);					\
	} while (0)
#define KUNIT_SUCCEED(test) do { (void)(test); } while (0)

/*
 * Within the block, and in functions that it calls, WARN() prints nothing: the warnings of this
 * thread are counted. Linux has this since 7.1.
 */
struct kunit_suppressed_warning;
struct kunit_suppressed_warning *kunit_start_suppress_warning(struct kunit *test);
void kunit_end_suppress_warning(struct kunit *test, struct kunit_suppressed_warning *warning);
int kunit_suppressed_warning_count(struct kunit_suppressed_warning *warning);
bool kunit_has_active_suppress_warning(void);
void kunit_suppress_cleanup(struct kunit_suppressed_warning **warning);

#define kunit_warning_suppress(test)					\
	for (struct kunit_suppressed_warning *kunit_suppress_		\
		     __attribute__((__cleanup__(kunit_suppress_cleanup))) = \
		     kunit_start_suppress_warning(test);		\
	     kunit_suppress_; kunit_suppress_cleanup(&kunit_suppress_))
#define KUNIT_SUPPRESSED_WARNING_COUNT() kunit_suppressed_warning_count(kunit_suppress_)
#define KUNIT_EXPECT_SUPPRESSED_WARNING_COUNT(test, expected) \
	KUNIT_EXPECT_EQ(test, KUNIT_SUPPRESSED_WARNING_COUNT(), expected)
#define KUNIT_ASSERT_SUPPRESSED_WARNING_COUNT(test, expected) \
	KUNIT_ASSERT_EQ(test, KUNIT_SUPPRESSED_WARNING_COUNT(), expected)

#include <kunit/checks.h>

#ifndef KUNIT_PLAIN
#include <kunit/resource.h>
#endif

#endif
