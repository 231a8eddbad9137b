/* SPDX-License-Identifier: MIT */
/*
 * The exit statuses of the commands. Each has one meaning, in every command that has it. Help, man
 * pages and docs/inspecting.md show this table. 0 is success, and 1 a bad finding (a leak, a failed
 * check): each command says which. The shell and env(1) use the last two in the same way.
 */
#ifndef TOOLS_STATUSES_H
#define TOOLS_STATUSES_H

#include <stddef.h>

#define FOR_EACH_STATUS(ROW)                                                          \
	ROW(USAGE, 2, "an option or an argument is wrong")                            \
	ROW(NO_PROCESS, 3, "there is no such process")                                \
	ROW(NO_PERMISSION, 4, "no permission to read the process")                    \
	ROW(NO_USERMM, 5, "the process does not run on usermm")                       \
	ROW(OTHER_VERSION, 6, "the process has another version of usermm")            \
	ROW(CUT_CORE, 7, "the core lacks what is wanted")                             \
	ROW(DAMAGED, 8, "the heap is damaged")                                        \
	ROW(ENDED, 9, "the process has ended")                                        \
	ROW(NO_BLOCK, 10, "there is no block at the address")                         \
	ROW(NO_OUTPUT, 11, "the output cannot be written")                            \
	ROW(NO_INPUT, 12, "a file cannot be read")                                    \
	ROW(BAD_INPUT, 13, "a file is of another kind, or damaged")                   \
	ROW(NO_PORT, 14, "the address to listen at is in use, or not allowed")        \
	ROW(NO_OWNERS, 15, "the process keeps no owners of its blocks")               \
	ROW(NO_MEMORY, 16, "the command itself has no memory")                        \
	ROW(TRACED, 17, "the process cannot be paused: a debugger traces it")         \
	ROW(NO_REQUESTS, 18, "the process takes no requests, or is stopped")          \
	ROW(REFUSED, 19, "the process refuses the request")                           \
	ROW(TIME_UP, 124, "the time was up")                                          \
	ROW(NO_LIBRARY, 125, "a part of usermm is not installed, or cannot be used")  \
	ROW(NOT_EXECUTABLE, 126, "the program cannot be executed")                    \
	ROW(NOT_FOUND, 127, "there is no such program")

#define STATUS_NUMBER(name, number, meaning) EXIT_##name = number,
enum { FOR_EACH_STATUS(STATUS_NUMBER) };
#undef STATUS_NUMBER

/* NULL: there is no such row. */
static inline const char *status_meaning(int status)
{
#define STATUS_MEANING(name, number, meaning) \
	case number:                          \
		return meaning;
	switch (status) {
	FOR_EACH_STATUS(STATUS_MEANING)
	}
#undef STATUS_MEANING
	return NULL;
}

#endif
