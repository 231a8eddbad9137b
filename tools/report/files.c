// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "report/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "usermm/command.h"
#include "usermm/say.h"

int file_complain(const struct command *command, const char *path, const char *what, int status)
{
	say(stderr, "usermm %s: %s: %s\n", command->name, path, what);
	return status;
}

/* Makes room for a part, and for a zero byte. */
static bool grow(char **text, size_t length, size_t *room)
{
	char *larger;

	if (length + 1 < *room)
		return true;
	*room = *room ? 2 * *room : 65536;
	larger = realloc(*text, *room);
	if (larger)
		*text = larger;
	return larger;
}

int file_read(const struct command *command, const char *path, char **text, size_t *length)
{
	FILE *from = fopen(path, "re");
	size_t room = 0, got = 1;
	struct stat stat_of;

	*text = NULL;
	*length = 0;
	if (!from)
		return file_complain(command, path, strerror(errno), EXIT_NO_INPUT);
	if (!fstat(fileno(from), &stat_of) && S_ISDIR(stat_of.st_mode)) {
		fclose(from);
		return file_complain(command, path, strerror(EISDIR), EXIT_NO_INPUT);
	}
	for (; got; *length += got) {
		if (!grow(text, *length, &room)) {
			fclose(from);
			return file_complain(command, path, "out of memory", EXIT_NO_MEMORY);
		}
		got = fread(*text + *length, 1, room - *length - 1, from);
	}
	(*text)[*length] = 0;
	if (ferror(from) | fclose(from))
		return file_complain(command, path, strerror(errno), EXIT_NO_INPUT);
	return 0;
}

int output_open(struct output *output, const struct command *command, const char *path)
{
	struct stat stat_of;
	bool is_other = !stat(path, &stat_of) && !S_ISREG(stat_of.st_mode);

	*output = (struct output){ .command = command, .path = path, .to = stdout };
	if (!strcmp(path, "-"))
		return 0;
	if (!is_other && asprintf(&output->partial, "%s.partial", path) < 0) {
		output->partial = NULL;
		return file_complain(command, path, "out of memory", EXIT_NO_MEMORY);
	}
	output->to = fopen(is_other ? path : output->partial, "we");
	return output->to ? 0 : file_complain(command, path, strerror(errno), EXIT_NO_OUTPUT);
}

int output_close(struct output *output, int code)
{
	errno = 0;
	/* Standard output stays open for whoever ends the command. */
	if (output->to && (ferror(output->to) | (output->to == stdout ? fflush(stdout) :
						 fclose(output->to))) && !code)
		code = file_complain(output->command, output->path, strerror(errno ? errno : EIO),
				     EXIT_NO_OUTPUT);
	if (!code && output->partial && rename(output->partial, output->path))
		code = file_complain(output->command, output->path, strerror(errno),
				     EXIT_NO_OUTPUT);
	if (code && output->partial)
		unlink(output->partial);
	free(output->partial);
	return code;
}
