/* SPDX-License-Identifier: MIT */
/*
 * Ends the header of a group of trace events. In the kernel it makes the events' code; nothing is
 * traced here, so it is empty. (It has no guard, since each group includes it.)
 */
