/* SPDX-License-Identifier: MIT */
/*
 * libc's clock_gettime() may belong to another library of the process, which may wait for a lock in
 * it (base/system_call.h). So the kernel's function behind it is looked up here: in the symbol
 * table of the object that the kernel has mapped (vdso(7)).
 */
#include "os/start/vdso.h"

#include <elf.h>
#include <link.h>

#include "base/atomic.h"
#include "base/text.h"
#include "os/start/auxiliary.h"

#if defined __x86_64__ || defined __riscv || defined __loongarch__
#define CLOCK_GETTIME "__vdso_clock_gettime"
#define GETCPU "__vdso_getcpu"
#elif defined __aarch64__ || defined __s390x__
#define CLOCK_GETTIME "__kernel_clock_gettime"
#define GETCPU ""
#elif defined __powerpc64__
#define CLOCK_GETTIME "__kernel_clock_gettime"
#define GETCPU "__kernel_getcpu"
#else
#define CLOCK_GETTIME ""
#define GETCPU ""
#endif

#ifdef __s390x__
typedef uint64_t hash_word;
#else
typedef uint32_t hash_word;
#endif

struct object {
	unsigned long base;	/* what is added to the addresses in its tables */
	const ElfW(Sym) *symbols;
	const char *names;
	unsigned int nr;
};

/* Sync: atomic relaxed; all callers that write store the same */
static struct vdso_functions found __read_mostly;
static bool is_known __read_mostly;	/* Sync: atomic */

/* How many symbols a DT_GNU_HASH table knows: the last chain ends with the last symbol. */
static unsigned int nr_of_gnu_hash(const uint32_t *hash)
{
	const uint32_t *buckets = hash + 4 + hash[2] * (sizeof(long) / sizeof(*hash));
	const uint32_t *chains = buckets + hash[0];
	uint32_t last = 0;

	for (uint32_t i = 0; i < hash[0]; i++)
		last = max(last, buckets[i]);
	if (last < hash[1])
		return 0;
	while (!(chains[last - hash[1]] & 1))
		last++;
	return last + 1;
}

/* The addresses in the table are relative, since nobody has relocated this object. */
static bool read_dynamic(struct object *object, const ElfW(Dyn) *entry)
{
	for (; entry->d_tag != DT_NULL; entry++) {
		const void *table = (const void *)(object->base + entry->d_un.d_ptr);

		if (entry->d_tag == DT_SYMTAB)
			object->symbols = table;
		else if (entry->d_tag == DT_STRTAB)
			object->names = table;
		else if (entry->d_tag == DT_HASH)
			object->nr = (unsigned int)((const hash_word *)table)[1];
		else if (entry->d_tag == DT_GNU_HASH && !object->nr)
			object->nr = nr_of_gnu_hash(table);
	}
	return object->symbols && object->names;
}

static bool read_object(struct object *object, unsigned long start)
{
	const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)start;
	const ElfW(Phdr) *segments = (const ElfW(Phdr) *)(start + header->e_phoff);
	const ElfW(Phdr) *dynamic = NULL, *loaded = NULL;

	for (unsigned int i = 0; i < header->e_phnum; i++) {
		if (segments[i].p_type == PT_DYNAMIC)
			dynamic = &segments[i];
		if (segments[i].p_type == PT_LOAD && !loaded)
			loaded = &segments[i];
	}
	if (!dynamic || !loaded)
		return false;
	*object = (struct object){ .base = start + loaded->p_offset - loaded->p_vaddr };
	return read_dynamic(object, (const ElfW(Dyn) *)(start + dynamic->p_offset));
}

static unsigned long look_up(const struct object *object, const char *name)
{
	for (unsigned int i = 0; *name && i < object->nr; i++) {
		const ElfW(Sym) *symbol = &object->symbols[i];

		if (symbol->st_shndx != SHN_UNDEF && symbol->st_value &&
		    !strcmp(object->names + symbol->st_name, name))
			return object->base + symbol->st_value;
	}
	return 0;
}

static slow_path void look_for_all(void)
{
	unsigned long start = os_auxiliary(AT_SYSINFO_EHDR);
	struct object object;

	if (start && read_object(&object, start)) {
		atomic_store_relaxed(&found.clock_gettime,
				     (vdso_clock_gettime *)look_up(&object, CLOCK_GETTIME));
		atomic_store_relaxed(&found.getcpu, (vdso_getcpu *)look_up(&object, GETCPU));
	}
	/* pairs with vdso_functions() */
	atomic_store_release(&is_known, true);
}

const struct vdso_functions *vdso_functions(void)
{
	/* pairs with look_for_all(): what was found */
	if (unlikely(!atomic_load_acquire(&is_known)))
		look_for_all();
	return &found;
}
