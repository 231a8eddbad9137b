/* SPDX-License-Identifier: MIT */
/* The entry of `usermm profile`, which usermm-inspect's main() calls. */
#ifndef PROFILE_ENTRY_H
#define PROFILE_ENTRY_H

/* argv[0] is the command's name. Returns the exit status. */
int profile_main(int argc, char **argv);

#endif
