/* SPDX-License-Identifier: MIT */
#include "os/load_options.h"

#include "base/check.h"
#include "base/options.h"
#include "os/environment.h"
#include "os/once.h"

static struct once once __read_mostly;

static int load(void)
{
	char text[OPTIONS_BYTES], error[OPTION_ERROR_BYTES];
	long length = os_environment("USERMM_OPTIONS", text, sizeof(text));

	if (length >= (long)sizeof(text))
		report_warning("USERMM_OPTIONS: ignored, it is longer than %d bytes",
			       OPTIONS_BYTES - 1);
	else if (length > 0 && options_parse(text, error, sizeof(error)))
		report_warning("USERMM_OPTIONS: %s", error);
	return 0;
}

void load_options(void)
{
	once_run(&once, load);
}
