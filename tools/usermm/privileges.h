/* SPDX-License-Identifier: MIT */
/*
 * A program that starts with raised privileges gets AT_SECURE from the kernel. The dynamic linker
 * then drops LD_PRELOAD, and nobody is told.
 */
#ifndef TOOLS_PRIVILEGES_H
#define TOOLS_PRIVILEGES_H

#include <stdbool.h>

/*
 * Would execve(2) of this file give AT_SECURE to the program? Linux's rules for IDs and file
 * capabilities are followed (bprm_fill_uid(), cap_bprm_creds_from_file()); what a security module
 * adds is not seen. A script has no privileges; ask for its interpreter. False if there is no such
 * file.
 */
bool privileges_are_raised(const char *path);

#endif
