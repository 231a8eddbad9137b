/* SPDX-License-Identifier: MIT */
/* The entry of `usermm control`, which usermm-inspect's main() calls. */
#ifndef CONTROL_ENTRY_H
#define CONTROL_ENTRY_H

/* argv[0] is the command's name. Returns the exit status. */
int control_main(int argc, char **argv);

#endif
