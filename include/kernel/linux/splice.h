/* SPDX-License-Identifier: MIT */
#ifndef SPLICE_H
#define SPLICE_H

#include <linux/fs.h>
#include <linux/pipe_fs_i.h>

/* Flags of pipes' calls; no file of a module is spliced. */
#define SPLICE_F_MOVE 1
#define SPLICE_F_NONBLOCK 2
#define SPLICE_F_MORE 4
#define SPLICE_F_GIFT 8

#endif
