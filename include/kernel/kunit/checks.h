/* SPDX-License-Identifier: MIT */
/*
 * The KUNIT_EXPECT_ and KUNIT_ASSERT_ macros. Do not include this file; include kunit/test.h. Each
 * check has an _MSG form that takes a printf format and its arguments at the end. Operands are
 * turned into text in these macros, before they are expanded, so that reports show them as in the
 * source.
 */
#ifndef KUNIT_CHECKS_H
#define KUNIT_CHECKS_H

/* A failure is reported, and the case goes on. */
#define KUNIT_EXPECT_EQ(test, left, right) \
	KUNIT_BINARY(test, false, KUNIT_TEXT(#left, "==", #right), \
		     left, ==, right, NULL)
#define KUNIT_EXPECT_EQ_MSG(test, left, right, ...) \
	KUNIT_BINARY(test, false, KUNIT_TEXT(#left, "==", #right), \
		     left, ==, right, __VA_ARGS__)
#define KUNIT_EXPECT_NE(test, left, right) \
	KUNIT_BINARY(test, false, KUNIT_TEXT(#left, "!=", #right), \
		     left, !=, right, NULL)
#define KUNIT_EXPECT_NE_MSG(test, left, right, ...) \
	KUNIT_BINARY(test, false, KUNIT_TEXT(#left, "!=", #right), \
		     left, !=, right, __VA_ARGS__)
#define KUNIT_EXPECT_LT(test, left, right) \
	KUNIT_BINARY(test, false, KUNIT_TEXT(#left, "<", #right), \
		     left, <, right, NULL)
#define KUNIT_EXPECT_LT_MSG(test, left, right, ...) \
	KUNIT_BINARY(test, false, KUNIT_TEXT(#left, "<", #right), \
		     left, <, right, __VA_ARGS__)
#define KUNIT_EXPECT_LE(test, left, right) \
	KUNIT_BINARY(test, false, KUNIT_TEXT(#left, "<=", #right), \
		     left, <=, right, NULL)
#define KUNIT_EXPECT_LE_MSG(test, left, right, ...) \
	KUNIT_BINARY(test, false, KUNIT_TEXT(#left, "<=", #right), \
		     left, <=, right, __VA_ARGS__)
#define KUNIT_EXPECT_GT(test, left, right) \
	KUNIT_BINARY(test, false, KUNIT_TEXT(#left, ">", #right), \
		     left, >, right, NULL)
#define KUNIT_EXPECT_GT_MSG(test, left, right, ...) \
	KUNIT_BINARY(test, false, KUNIT_TEXT(#left, ">", #right), \
		     left, >, right, __VA_ARGS__)
#define KUNIT_EXPECT_GE(test, left, right) \
	KUNIT_BINARY(test, false, KUNIT_TEXT(#left, ">=", #right), \
		     left, >=, right, NULL)
#define KUNIT_EXPECT_GE_MSG(test, left, right, ...) \
	KUNIT_BINARY(test, false, KUNIT_TEXT(#left, ">=", #right), \
		     left, >=, right, __VA_ARGS__)
#define KUNIT_EXPECT_PTR_EQ(test, left, right) \
	KUNIT_PTR_BINARY(test, false, KUNIT_TEXT(#left, "==", #right), \
			 left, ==, right, NULL)
#define KUNIT_EXPECT_PTR_EQ_MSG(test, left, right, ...) \
	KUNIT_PTR_BINARY(test, false, KUNIT_TEXT(#left, "==", #right), \
			 left, ==, right, __VA_ARGS__)
#define KUNIT_EXPECT_PTR_NE(test, left, right) \
	KUNIT_PTR_BINARY(test, false, KUNIT_TEXT(#left, "!=", #right), \
			 left, !=, right, NULL)
#define KUNIT_EXPECT_PTR_NE_MSG(test, left, right, ...) \
	KUNIT_PTR_BINARY(test, false, KUNIT_TEXT(#left, "!=", #right), \
			 left, !=, right, __VA_ARGS__)
#define KUNIT_EXPECT_STREQ(test, left, right) \
	KUNIT_STR_BINARY(test, false, KUNIT_TEXT(#left, "==", #right), \
			 left, ==, right, NULL)
#define KUNIT_EXPECT_STREQ_MSG(test, left, right, ...) \
	KUNIT_STR_BINARY(test, false, KUNIT_TEXT(#left, "==", #right), \
			 left, ==, right, __VA_ARGS__)
#define KUNIT_EXPECT_STRNEQ(test, left, right) \
	KUNIT_STR_BINARY(test, false, KUNIT_TEXT(#left, "!=", #right), \
			 left, !=, right, NULL)
#define KUNIT_EXPECT_STRNEQ_MSG(test, left, right, ...) \
	KUNIT_STR_BINARY(test, false, KUNIT_TEXT(#left, "!=", #right), \
			 left, !=, right, __VA_ARGS__)
#define KUNIT_EXPECT_MEMEQ(test, left, right, size) \
	KUNIT_MEM_BINARY(test, false, KUNIT_TEXT(#left, "==", #right), \
			 left, ==, right, size, NULL)
#define KUNIT_EXPECT_MEMEQ_MSG(test, left, right, size, ...) \
	KUNIT_MEM_BINARY(test, false, KUNIT_TEXT(#left, "==", #right), \
			 left, ==, right, size, __VA_ARGS__)
#define KUNIT_EXPECT_MEMNEQ(test, left, right, size) \
	KUNIT_MEM_BINARY(test, false, KUNIT_TEXT(#left, "!=", #right), \
			 left, !=, right, size, NULL)
#define KUNIT_EXPECT_MEMNEQ_MSG(test, left, right, size, ...) \
	KUNIT_MEM_BINARY(test, false, KUNIT_TEXT(#left, "!=", #right), \
			 left, !=, right, size, __VA_ARGS__)
#define KUNIT_EXPECT_TRUE(test, condition) \
	KUNIT_UNARY(test, false, #condition, condition, true, NULL)
#define KUNIT_EXPECT_TRUE_MSG(test, condition, ...) \
	KUNIT_UNARY(test, false, #condition, condition, true, __VA_ARGS__)
#define KUNIT_EXPECT_FALSE(test, condition) \
	KUNIT_UNARY(test, false, #condition, condition, false, NULL)
#define KUNIT_EXPECT_FALSE_MSG(test, condition, ...) \
	KUNIT_UNARY(test, false, #condition, condition, false, __VA_ARGS__)
#define KUNIT_EXPECT_NULL(test, ptr) \
	KUNIT_PTR_BINARY(test, false, KUNIT_TEXT(#ptr, "==", KUNIT_NULL_TEXT), \
			 ptr, ==, NULL, NULL)
#define KUNIT_EXPECT_NULL_MSG(test, ptr, ...) \
	KUNIT_PTR_BINARY(test, false, KUNIT_TEXT(#ptr, "==", KUNIT_NULL_TEXT), \
			 ptr, ==, NULL, __VA_ARGS__)
#define KUNIT_EXPECT_NOT_NULL(test, ptr) \
	KUNIT_PTR_BINARY(test, false, KUNIT_TEXT(#ptr, "!=", KUNIT_NULL_TEXT), \
			 ptr, !=, NULL, NULL)
#define KUNIT_EXPECT_NOT_NULL_MSG(test, ptr, ...) \
	KUNIT_PTR_BINARY(test, false, KUNIT_TEXT(#ptr, "!=", KUNIT_NULL_TEXT), \
			 ptr, !=, NULL, __VA_ARGS__)
#define KUNIT_EXPECT_NOT_ERR_OR_NULL(test, ptr) \
	KUNIT_NOT_ERR(test, false, #ptr, ptr, NULL)
#define KUNIT_EXPECT_NOT_ERR_OR_NULL_MSG(test, ptr, ...) \
	KUNIT_NOT_ERR(test, false, #ptr, ptr, __VA_ARGS__)

/* A failure ends the case. */
#define KUNIT_ASSERT_EQ(test, left, right) \
	KUNIT_BINARY(test, true, KUNIT_TEXT(#left, "==", #right), \
		     left, ==, right, NULL)
#define KUNIT_ASSERT_EQ_MSG(test, left, right, ...) \
	KUNIT_BINARY(test, true, KUNIT_TEXT(#left, "==", #right), \
		     left, ==, right, __VA_ARGS__)
#define KUNIT_ASSERT_NE(test, left, right) \
	KUNIT_BINARY(test, true, KUNIT_TEXT(#left, "!=", #right), \
		     left, !=, right, NULL)
#define KUNIT_ASSERT_NE_MSG(test, left, right, ...) \
	KUNIT_BINARY(test, true, KUNIT_TEXT(#left, "!=", #right), \
		     left, !=, right, __VA_ARGS__)
#define KUNIT_ASSERT_LT(test, left, right) \
	KUNIT_BINARY(test, true, KUNIT_TEXT(#left, "<", #right), \
		     left, <, right, NULL)
#define KUNIT_ASSERT_LT_MSG(test, left, right, ...) \
	KUNIT_BINARY(test, true, KUNIT_TEXT(#left, "<", #right), \
		     left, <, right, __VA_ARGS__)
#define KUNIT_ASSERT_LE(test, left, right) \
	KUNIT_BINARY(test, true, KUNIT_TEXT(#left, "<=", #right), \
		     left, <=, right, NULL)
#define KUNIT_ASSERT_LE_MSG(test, left, right, ...) \
	KUNIT_BINARY(test, true, KUNIT_TEXT(#left, "<=", #right), \
		     left, <=, right, __VA_ARGS__)
#define KUNIT_ASSERT_GT(test, left, right) \
	KUNIT_BINARY(test, true, KUNIT_TEXT(#left, ">", #right), \
		     left, >, right, NULL)
#define KUNIT_ASSERT_GT_MSG(test, left, right, ...) \
	KUNIT_BINARY(test, true, KUNIT_TEXT(#left, ">", #right), \
		     left, >, right, __VA_ARGS__)
#define KUNIT_ASSERT_GE(test, left, right) \
	KUNIT_BINARY(test, true, KUNIT_TEXT(#left, ">=", #right), \
		     left, >=, right, NULL)
#define KUNIT_ASSERT_GE_MSG(test, left, right, ...) \
	KUNIT_BINARY(test, true, KUNIT_TEXT(#left, ">=", #right), \
		     left, >=, right, __VA_ARGS__)
#define KUNIT_ASSERT_PTR_EQ(test, left, right) \
	KUNIT_PTR_BINARY(test, true, KUNIT_TEXT(#left, "==", #right), \
			 left, ==, right, NULL)
#define KUNIT_ASSERT_PTR_EQ_MSG(test, left, right, ...) \
	KUNIT_PTR_BINARY(test, true, KUNIT_TEXT(#left, "==", #right), \
			 left, ==, right, __VA_ARGS__)
#define KUNIT_ASSERT_PTR_NE(test, left, right) \
	KUNIT_PTR_BINARY(test, true, KUNIT_TEXT(#left, "!=", #right), \
			 left, !=, right, NULL)
#define KUNIT_ASSERT_PTR_NE_MSG(test, left, right, ...) \
	KUNIT_PTR_BINARY(test, true, KUNIT_TEXT(#left, "!=", #right), \
			 left, !=, right, __VA_ARGS__)
#define KUNIT_ASSERT_STREQ(test, left, right) \
	KUNIT_STR_BINARY(test, true, KUNIT_TEXT(#left, "==", #right), \
			 left, ==, right, NULL)
#define KUNIT_ASSERT_STREQ_MSG(test, left, right, ...) \
	KUNIT_STR_BINARY(test, true, KUNIT_TEXT(#left, "==", #right), \
			 left, ==, right, __VA_ARGS__)
#define KUNIT_ASSERT_STRNEQ(test, left, right) \
	KUNIT_STR_BINARY(test, true, KUNIT_TEXT(#left, "!=", #right), \
			 left, !=, right, NULL)
#define KUNIT_ASSERT_STRNEQ_MSG(test, left, right, ...) \
	KUNIT_STR_BINARY(test, true, KUNIT_TEXT(#left, "!=", #right), \
			 left, !=, right, __VA_ARGS__)
#define KUNIT_ASSERT_MEMEQ(test, left, right, size) \
	KUNIT_MEM_BINARY(test, true, KUNIT_TEXT(#left, "==", #right), \
			 left, ==, right, size, NULL)
#define KUNIT_ASSERT_MEMEQ_MSG(test, left, right, size, ...) \
	KUNIT_MEM_BINARY(test, true, KUNIT_TEXT(#left, "==", #right), \
			 left, ==, right, size, __VA_ARGS__)
#define KUNIT_ASSERT_MEMNEQ(test, left, right, size) \
	KUNIT_MEM_BINARY(test, true, KUNIT_TEXT(#left, "!=", #right), \
			 left, !=, right, size, NULL)
#define KUNIT_ASSERT_MEMNEQ_MSG(test, left, right, size, ...) \
	KUNIT_MEM_BINARY(test, true, KUNIT_TEXT(#left, "!=", #right), \
			 left, !=, right, size, __VA_ARGS__)
#define KUNIT_ASSERT_TRUE(test, condition) \
	KUNIT_UNARY(test, true, #condition, condition, true, NULL)
#define KUNIT_ASSERT_TRUE_MSG(test, condition, ...) \
	KUNIT_UNARY(test, true, #condition, condition, true, __VA_ARGS__)
#define KUNIT_ASSERT_FALSE(test, condition) \
	KUNIT_UNARY(test, true, #condition, condition, false, NULL)
#define KUNIT_ASSERT_FALSE_MSG(test, condition, ...) \
	KUNIT_UNARY(test, true, #condition, condition, false, __VA_ARGS__)
#define KUNIT_ASSERT_NULL(test, ptr) \
	KUNIT_PTR_BINARY(test, true, KUNIT_TEXT(#ptr, "==", KUNIT_NULL_TEXT), \
			 ptr, ==, NULL, NULL)
#define KUNIT_ASSERT_NULL_MSG(test, ptr, ...) \
	KUNIT_PTR_BINARY(test, true, KUNIT_TEXT(#ptr, "==", KUNIT_NULL_TEXT), \
			 ptr, ==, NULL, __VA_ARGS__)
#define KUNIT_ASSERT_NOT_NULL(test, ptr) \
	KUNIT_PTR_BINARY(test, true, KUNIT_TEXT(#ptr, "!=", KUNIT_NULL_TEXT), \
			 ptr, !=, NULL, NULL)
#define KUNIT_ASSERT_NOT_NULL_MSG(test, ptr, ...) \
	KUNIT_PTR_BINARY(test, true, KUNIT_TEXT(#ptr, "!=", KUNIT_NULL_TEXT), \
			 ptr, !=, NULL, __VA_ARGS__)
#define KUNIT_ASSERT_NOT_ERR_OR_NULL(test, ptr) \
	KUNIT_NOT_ERR(test, true, #ptr, ptr, NULL)
#define KUNIT_ASSERT_NOT_ERR_OR_NULL_MSG(test, ptr, ...) \
	KUNIT_NOT_ERR(test, true, #ptr, ptr, __VA_ARGS__)

#endif
