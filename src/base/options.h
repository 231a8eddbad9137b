/* SPDX-License-Identifier: MIT */
/*
 * Options: "name=value" separated by ':'. They are read once, before the first
 * allocation, from USERMM_OPTIONS. The parser and the help texts are made from the
 * table options.def.
 */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include "base/compiler.h"

enum option_rseq { OPTION_RSEQ_AUTO, OPTION_RSEQ_OFF, OPTION_RSEQ_CPU_ID, OPTION_RSEQ_MM_CID };
enum option_stats_format {
	OPTION_STATS_FORMAT_TEXT, OPTION_STATS_FORMAT_JSON, OPTION_STATS_FORMAT_PROMETHEUS
};
enum option_slab_merge { OPTION_SLAB_MERGE_AUTO, OPTION_SLAB_MERGE_ON, OPTION_SLAB_MERGE_OFF };

enum option_background { OPTION_BACKGROUND_AUTO, OPTION_BACKGROUND_OFF, OPTION_BACKGROUND_ON };
enum option_control { OPTION_CONTROL_OFF, OPTION_CONTROL_ON };
enum option_pressure { OPTION_PRESSURE_AUTO, OPTION_PRESSURE_OFF };
enum option_prefault { OPTION_PREFAULT_ON, OPTION_PREFAULT_OFF };
enum option_thp { OPTION_THP_DEFAULT, OPTION_THP_AUTO, OPTION_THP_ALWAYS, OPTION_THP_NEVER };
enum option_bad_page { OPTION_BAD_PAGE_AUTO, OPTION_BAD_PAGE_REPORT, OPTION_BAD_PAGE_ABORT };

/* Sync: written before the first allocation, constant afterwards. */
struct options {
#define OPTION(name, type, default_value, range, stability, help) unsigned long name;
#include "base/options.def"
#undef OPTION
};
extern struct options options;

/* The longest USERMM_OPTIONS, with its null byte; a longer one is ignored. */
#define OPTIONS_BYTES 1024
/* Enough room for an error message. */
#define OPTION_ERROR_BYTES 400

/*
 * Applies the options in text. Skips bad ones and describes the first of them in
 * error, in one line. 0, or -1 if there was a bad one.
 */
int options_parse(const char *text, char *error, size_t error_bytes);

struct option_row {
	const char *name;
	const char *type;
	unsigned long default_value;
	const char *range;
	const char *stability;
	const char *help;
	unsigned long *value;
};

/* The i-th old name that was given, and the option's new name; false past the last. */
bool options_old_name(unsigned int i, const char **name, const char **new_name);
/* The i-th of all old names, and the option's new name; false past the last. */
bool options_old_name_row(unsigned int i, const char **name, const char **new_name);
/* Row i of the table, or NULL. */
const struct option_row *options_row(unsigned int i);
/* The text of an option of type TEXT; NULL if it was not given. */
static inline const char *option_text(unsigned long value)
{
	return (const char *)value;
}

/* Writes the value in the form that the parser reads. */
void options_format_value(const struct option_row *row, unsigned long value, char *text,
			  size_t bytes);

#endif
