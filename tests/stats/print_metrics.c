/* SPDX-License-Identifier: MIT */
/*
 * print_metrics json|prometheus|slabinfo|vmstat [NAME...]: makes a cache of each name with
 * objects in it, and prints the report.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <usermm/usermm.h>

static const struct {
	const char *name;
	void (*print)(int fd);
} reports[] = {
	{ "json", usermm_print_json },
	{ "prometheus", usermm_print_prometheus },
	{ "slabinfo", usermm_print_slabinfo },
	{ "vmstat", usermm_print_vmstat },
};

static bool make_cache(const char *name, unsigned int nr_objects)
{
	struct kmem_cache *cache = kmem_cache_create(name, 100, 0, 0, NULL);

	for (unsigned int i = 0; cache && i < nr_objects; i++)
		if (!kmem_cache_alloc(cache, GFP_KERNEL))
			return false;
	return cache;
}

int main(int argc, char **argv)
{
	for (int i = 2; i < argc; i++)
		if (!make_cache(argv[i], (unsigned int)i))
			return 1;
	for (unsigned int i = 0; i < sizeof(reports) / sizeof(reports[0]); i++)
		if (argc > 1 && !strcmp(argv[1], reports[i].name)) {
			reports[i].print(STDOUT_FILENO);
			return 0;
		}
	fprintf(stderr, "usage: print_metrics json|prometheus|slabinfo|vmstat [NAME...]\n");
	return 2;
}
