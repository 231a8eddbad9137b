// SPDX-License-Identifier: MIT
/* main() of a module that runs as a program: see module_run.h. */
#include "module/module_run.h"

int main(int argc, char **argv)
{
	return module_run(argc, argv);
}
