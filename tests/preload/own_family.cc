// SPDX-License-Identifier: MIT
//
// A program that has some of malloc's functions of its own: those that OWN_... names. The others
// are libc's, or the preloaded library's. The program prints of each entry point whose block it
// gives, and who frees that. This must not depend on the library (run_family.py).
//
// KIND says where the program's functions have their memory from: ARENA, from an array; THROUGH,
// from libc; MARKED, from libc, and the block begins behind a mark.
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <new>
#include <unistd.h>

#define ARENA 0
#define THROUGH 1
#define MARKED 2

extern "C" {
void *__libc_malloc(size_t size);
void *__libc_memalign(size_t align, size_t size);
void *__libc_realloc(void *pointer, size_t size);
void __libc_free(void *pointer);
// Since 2.43 libc has these as well, so it is usermm_malloc() that tells of the library.
void free_sized(void *pointer, size_t size) __attribute__((weak));
void free_aligned_sized(void *pointer, size_t align, size_t size) __attribute__((weak));
void *usermm_malloc(size_t size) __attribute__((weak));
}

namespace {

constexpr size_t room = 64;
// Blocks that the program's functions gave. If the program has no free(), old ones stay.
constexpr unsigned int most = 4096;
struct {
	void *block;
	size_t size;
} given[most];
unsigned int nr_given, nr_freed;
unsigned int nr_before;	// those of other entry points
alignas(4096) char arena[16 << 20];
size_t arena_used;

size_t *size_of(const void *block)
{
	for (unsigned int i = nr_given; block && i--; )
		if (given[i].block == block)
			return &given[i].size;
	return nullptr;
}

void forget(const void *block)
{
	for (unsigned int i = 0; i < nr_given; i++)
		if (given[i].block == block)
			given[i].block = nullptr;
}

void *take(size_t align, size_t size)
{
	if (KIND != ARENA)
		return align > 16 ? __libc_memalign(align, size) : __libc_malloc(size);
	arena_used = (arena_used + align - 1) & -align;
	if (size > sizeof(arena) - arena_used) {
		errno = ENOMEM;
		return nullptr;
	}
	arena_used += size;
	return arena + arena_used - size;
}

void *give(size_t align, size_t size)
{
	align = align < 16 ? 16 : align;
	size_t before = KIND == MARKED ? (align < room ? room : align) : 0;
	char *block = static_cast<char *>(take(align, size + before));

	if (!block || nr_given == most)
		return nullptr;
	given[nr_given].block = block + before;
	given[nr_given++].size = size;
	return block + before;
}

void take_back(void *block)
{
	size_t *size = size_of(block);

	if (!size) {
		__libc_free(block);	// not from a function of the program's
		return;
	}
	nr_freed++;
	// Only blocks without a wider alignment come here: the mark has `room` bytes.
	if (KIND != ARENA && !(KIND == MARKED && reinterpret_cast<uintptr_t>(block) % 256 == 0))
		__libc_free(static_cast<char *>(block) - (KIND == MARKED ? room : 0));
	forget(block);
}

} // namespace

extern "C" {
#ifdef OWN_MALLOC
void *malloc(size_t size) { return give(16, size); }
#endif
#ifdef OWN_FREE
void free(void *pointer) { take_back(pointer); }
#endif
#ifdef OWN_CALLOC
void *calloc(size_t n, size_t size)
{
	void *block = give(16, n * size);

	return block ? memset(block, 0, n * size) : nullptr;
}
#endif
#ifdef OWN_REALLOC
void *realloc(void *pointer, size_t size)
{
	size_t *old = size_of(pointer);
	void *block;

	if (pointer && !old)
		return __libc_realloc(pointer, size);
	block = give(16, size);
	if (old && block) {
		memcpy(block, pointer, *old < size ? *old : size);
		take_back(pointer);
	}
	return block;
}
#endif
#ifdef OWN_ALIGNED_ALLOC
void *aligned_alloc(size_t align, size_t size) { return give(align, size); }
#endif
#ifdef OWN_MEMALIGN
void *memalign(size_t align, size_t size) { return give(align, size); }
#endif
#ifdef OWN_POSIX_MEMALIGN
int posix_memalign(void **block, size_t align, size_t size)
{
	*block = give(align, size);
	return *block ? 0 : ENOMEM;
}
#endif
#ifdef OWN_VALLOC
void *valloc(size_t size) { return give(4096, size); }
#endif
#ifdef OWN_PVALLOC
void *pvalloc(size_t size) { return give(4096, (size + 4095) & -size_t(4096)); }
#endif
#ifdef OWN_REALLOCARRAY
void *reallocarray(void *pointer, size_t n, size_t size)
{
	if (__builtin_mul_overflow(n, size, &size)) {
		errno = ENOMEM;
		return nullptr;
	}
	return realloc(pointer, size);
}
#endif
#ifdef OWN_MALLOC_USABLE_SIZE
size_t malloc_usable_size(void *pointer)
{
	size_t *size = size_of(pointer);

	return size ? *size : 0;
}
#endif
}

namespace {

void *volatile hidden;

void *opaque(void *pointer)
{
	hidden = pointer;
	return hidden;
}

const char *owner_of(void *block)
{
	for (unsigned int i = nr_before; block && i < nr_given; i++)
		if (given[i].block == block)
			return "program";
	return block ? "library" : "nobody";
}

// The freed blocks are told by the program's own free().
template <typename Free> void say(const char *entry, void *block, Free release)
{
	unsigned int before = nr_freed;
	const char *owner = owner_of(block);

	if (block)
		memset(block, 1, 64);
	release(block);
	forget(block);		// perhaps not by the program's free()
	printf("%s gives a block of the %s, freed by the %s\n", entry, owner,
	       nr_freed > before ? "program" : "library");
	fflush(stdout);
	nr_before = nr_given;
}

void say_freed_by_free(const char *entry, void *block)
{
	say(entry, block, [](void *pointer) { free(opaque(pointer)); });
}

struct alignas(256) Wide {
	char bytes[512];
};

void try_c()
{
	const char text[] = "a text of more than sixty-four bytes, so that its block is filled up";
	char *line = nullptr, *printed = nullptr;
	size_t size = 0;
	FILE *file __attribute__((unused));
	void *block;

	say_freed_by_free("malloc", opaque(malloc(100)));
	say_freed_by_free("calloc", opaque(calloc(1, 100)));
	say_freed_by_free("realloc of NULL", opaque(realloc(nullptr, 100)));
	say_freed_by_free("reallocarray of NULL", opaque(reallocarray(nullptr, 10, 10)));
	say_freed_by_free("strdup", opaque(strdup(text)));
	say_freed_by_free("strndup", opaque(strndup(text, 65)));
#if KIND != ARENA || !defined OWN_MALLOC || defined OWN_REALLOC
	say_freed_by_free("asprintf", asprintf(&printed, "%s", text) > 0 ? printed : nullptr);
	file = fmemopen(const_cast<char *>(text), sizeof(text), "r");
	say_freed_by_free("getline", file && getline(&line, &size, file) > 0 ? line : nullptr);
	fclose(file);
#endif
	say_freed_by_free("getcwd", opaque(getcwd(nullptr, 4096)));
	say_freed_by_free("aligned_alloc", opaque(aligned_alloc(256, 512)));
	say_freed_by_free("memalign", opaque(memalign(256, 512)));
	block = nullptr;
	say_freed_by_free("valloc", opaque(valloc(512)));
	say_freed_by_free("pvalloc", opaque(pvalloc(512)));
	say_freed_by_free("posix_memalign", posix_memalign(&block, 256, 512) ? nullptr : block);
#if !defined OWN_MALLOC || defined OWN_REALLOC
	say_freed_by_free("realloc", opaque(realloc(opaque(malloc(10)), 100)));
	say_freed_by_free("reallocarray", opaque(reallocarray(opaque(malloc(10)), 10, 10)));
	say_freed_by_free("reallocarray of a string",
			  opaque(reallocarray(opaque(strdup(text)), 10, 10)));
#endif
	errno = 0;
	block = opaque(reallocarray(nullptr, SIZE_MAX / 2, 3));
	printf("reallocarray of too much: %d %d\n", block != nullptr, errno);
}

void try_cxx()
{
	say("new", operator new(100), [](void *p) { operator delete(p); });
	say("new, sized", operator new(100), [](void *p) { operator delete(p, size_t(100)); });
	say("new[]", operator new[](100), [](void *p) { operator delete[](p); });
	say("new[], sized", operator new[](100),
	    [](void *p) { operator delete[](p, size_t(100)); });
	say("new, nothrow", operator new(100, std::nothrow),
	    [](void *p) { operator delete(p, std::nothrow); });
	say("new, freed by free", operator new(100), [](void *p) { free(opaque(p)); });
	say("malloc, deleted", opaque(malloc(100)), [](void *p) { operator delete(opaque(p)); });
	// The library decides which free takes aligned blocks; it gives no foreign block to free().
	printf("new Wide is of the %s\n", owner_of(new Wide));
	delete new Wide;
	delete[] new Wide[2];
	operator delete(operator new(100, std::align_val_t(8)), std::align_val_t(8));
}

// Calls that plain libc lacks, or whose result differs there.
int try_library()
{
	unsigned int before = nr_freed;
	void *block = opaque(malloc(100));
	bool is_programs = !strcmp(owner_of(block), "program");

#ifndef OWN_MALLOC_USABLE_SIZE
	if (malloc_usable_size(block) < 100 && (malloc_usable_size(block) || !is_programs))
		return 4;
#endif
#if defined OWN_MALLOC && defined OWN_FREE && !defined OWN_REALLOC
	if (KIND == ARENA && (realloc(block, 200) || errno != ENOMEM))
		return 5;
#endif
	free_sized(block, 100);
	// The library may free blocks of its own by itself.
	if (KIND != THROUGH && is_programs && nr_freed == before)
		return 6;
	free_aligned_sized(opaque(malloc(100)), 16, 100);
	return 0;
}

} // namespace

int main()
{
	try_c();
	try_cxx();
	fflush(stdout);
	return usermm_malloc ? try_library() : 0;
}
