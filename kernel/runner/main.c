// SPDX-License-Identifier: MIT
/* main() of a program that is a module: see module_run.h. */
#include "module_run.h"

int main(int argc, char **argv)
{
	return module_run(argc, argv);
}
