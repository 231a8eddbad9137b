/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_FILES_SCRIPT_H
#define KERNEL_FILES_SCRIPT_H

/* Runs a program, which may open the module's files. Returns its exit status. */
int script_run(char **argv);

/* One line for each file that a module left behind. */
void module_files_report(void);

#endif
