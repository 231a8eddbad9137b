/* SPDX-License-Identifier: MIT */
/* The entries of usermm-inspect, which main.c calls. argv[0] is the command's name. */
#ifndef INSPECT_ENTRIES_H
#define INSPECT_ENTRIES_H

/* command.c: `usermm inspect`. */
int inspect_main(int argc, char **argv);
/* numbers.c: answers questions on standard input about the process. Returns an exit status. */
int numbers_serve(const char *target);

#endif
