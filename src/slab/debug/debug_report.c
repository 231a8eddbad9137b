/* SPDX-License-Identifier: MIT */
/*
 * The reports of slab debugging. They have the form of Linux's (mm/slub.c), so that tools for
 * those read these, too. Each line goes to the program's hook or to stderr.
 */
#include <stdarg.h>

#include "base/check.h"
#include "base/fmt.h"
#include "base/linux_version.h"
#include "os/os.h"
#include "page/debug/page_report.h"
#include "slab/debug/debug_object.h"
#include "slab/partial.h"

#define LINE_BYTES 400
#define DUMP_BYTES 16	/* in one line of a dump */

struct slab_debug_hooks slab_debug_hooks;

/* Has any damage been reported? Sync: atomic relaxed; only printed. */
static bool tainted;

static const char *taint_text(void)
{
	return atomic_load_relaxed(&tainted) ? "Tainted: G    B" : "Not tainted";
}

bool slab_error_is_counted(void)
{
	return slab_debug_hooks.count_error && slab_debug_hooks.count_error();
}

static bool errors_are_counted(void)
{
	return slab_debug_hooks.counts_errors && slab_debug_hooks.counts_errors();
}

static void vsay(const char *format, va_list args)
{
	char text[LINE_BYTES];

	fmt_vformat(text, sizeof(text), format, args);
	if (slab_debug_hooks.line)
		slab_debug_hooks.line(text);
	else
		report_line("%s", text);
}

static void say_stack(void)
{
	if (slab_debug_hooks.stack)
		slab_debug_hooks.stack();
}

void slab_say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsay(format, args);
	va_end(args);
}

void slab_warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsay(format, args);
	va_end(args);
	say_stack();
}

/* The end of a report: from now on the process is known to be damaged. */
static void end_report(void)
{
	atomic_store_relaxed(&tainted, true);
	say_stack();
}

/* --- What is known of an object ------------------------------------------- */

static void say_slab(const struct page *slab)
{
	slab_say("Slab %p objects=%u used=%u fp=%p flags=0x%lx", (const void *)slab,
		 (unsigned int)slab->objects, (unsigned int)slab->inuse, slab->freelist,
		 page_flags(slab));
}

static void say_bytes(const char *what, const uint8_t *bytes, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i += DUMP_BYTES) {
		char hex[3 * DUMP_BYTES + 1] = "", text[DUMP_BYTES + 1] = "";
		unsigned int in_line = min(nr - i, (unsigned int)DUMP_BYTES);

		for (unsigned int k = 0; k < in_line; k++) {
			uint8_t byte = bytes[i + k];

			fmt_format(hex + 3 * k, 4, "%02x ", (unsigned int)byte);
			text[k] = byte >= ' ' && byte <= '~' ? (char)byte : '.';
		}
		slab_say("%s%016lx: %-48s %s", what, (unsigned long)(bytes + i), hex, text);
	}
}

/* The object, its red zones and its padding, and who had it. */
static void say_object(const struct kmem_cache *cache, const struct page *slab, const void *object)
{
	const uint8_t *base = page_address(slab), *bytes = object;

	slab_say_tracks(cache, object);
	say_slab(slab);
	slab_say("Object %p @offset=%lu fp=%p", object, (unsigned long)(bytes - base),
		 slab_link_read(cache, object));
	if (cache->flags & SLAB_RED_ZONE)
		say_bytes("Redzone  ", bytes - cache->red_left_pad, cache->red_left_pad);
	else if (bytes > base + 16)
		say_bytes("Bytes b4 ", bytes - 16, 16);
	say_bytes("Object   ", bytes, min(cache->object_size, (unsigned int)PAGE_SIZE));
	if (cache->flags & SLAB_RED_ZONE)
		say_bytes("Redzone  ", bytes + cache->object_size,
			  cache->inuse - cache->object_size);
	if (padding_start(cache) != padding_end(cache))
		say_bytes("Padding  ", bytes + padding_start(cache),
			  padding_end(cache) - padding_start(cache));
}

/* --- Errors ----------------------------------------------------------------- */

static void say_bug(const struct kmem_cache *cache, const char *reason)
{
	slab_say("=============================================================================");
	slab_say("BUG %s (%s): %s", cache->name, taint_text(), reason);
	slab_say("-----------------------------------------------------------------------------");
}

void slab_object_error(const struct kmem_cache *cache, const struct page *slab,
		       const void *object, const char *reason)
{
	if (slab_error_is_counted())
		return;
	say_bug(cache, reason);
	if (object && pointer_is_valid(cache, slab, object)) {
		say_object(cache, slab, object);
	} else {
		say_slab(slab);
		slab_say("Invalid pointer %p", object);
	}
	end_report();
}

void slab_error(const struct kmem_cache *cache, const struct page *slab, const char *format, ...)
{
	char reason[LINE_BYTES / 2];
	va_list args;

	if (slab_error_is_counted())
		return;
	va_start(args, format);
	fmt_vformat(reason, sizeof(reason), format, args);
	va_end(args);
	say_bug(cache, reason);
	say_slab(slab);
	end_report();
}

/* cf. Linux free_consistency_checks(). Says who freed the object before, too. */
void slab_empty_error(const struct kmem_cache *cache, const struct page *slab, const void *object)
{
	if (slab_error_is_counted())
		return;
	say_bug(cache, "Slab has 0 allocated objects but 1 are to be freed");
	slab_say_tracks(cache, object);
	say_slab(slab);
	end_report();
}

/* Tests do not count this error but the restoring that follows, as in Linux. */
void slab_tail_error(const struct kmem_cache *cache, const struct page *slab, const uint8_t *tail,
		     unsigned int bytes, const uint8_t *fault, const uint8_t *end)
{
	const uint8_t *base = page_address(slab);
	char reason[LINE_BYTES / 2];

	fmt_format(reason, sizeof(reason), "Padding overwritten. %p-%p @offset=%lu", fault, end - 1,
		   (unsigned long)(fault - base));
	say_bug(cache, reason);
	say_bytes("Padding ", tail, bytes);
	if (errors_are_counted())
		return;
	say_slab(slab);
	end_report();
}

void slab_trace(const struct kmem_cache *cache, const struct page *slab, const void *object,
		bool is_alloc)
{
	if (!(cache->flags & SLAB_TRACE))
		return;
	slab_say("TRACE %s %s %p inuse=%u fp=%p", cache->name, is_alloc ? "alloc" : "free", object,
		 (unsigned int)slab->inuse, slab->freelist);
	if (!is_alloc)
		say_bytes("Object ", object, cache->object_size);
	say_stack();
}

/* --- Caches that go ---------------------------------------------------------- */

static bool object_remains(const struct page *slab, const struct slab_map *map,
			   unsigned int index)
{
	/* Objects from `carved` on never left the slab, and are on no list. */
	return index < slab->carved && !map_has(map, index);
}

void slab_debug_list_remaining(struct kmem_cache *cache, struct page *slab)
{
	struct slab_map map;

	if (!slab_error_is_counted())
		say_bug(cache, "Objects remaining on __kmem_cache_shutdown()");
	slab_map_fill(&map, cache, slab);
	for (unsigned int i = 0; i < slab->objects; i++) {
		char *object = slab_object(cache, slab, i);

		if (!object_remains(slab, &map, i) || slab_error_is_counted())
			continue;
		slab_say("Object %p @offset=%lu", object,
			 (unsigned long)(object - (char *)page_address(slab)));
		slab_say_tracks(cache, object);
	}
	if (errors_are_counted())
		return;
	say_slab(slab);
	end_report();
}

/* The slab goes with the last of its objects, so the map is filled before. */
void slab_debug_free_remaining(struct kmem_cache *cache, struct page *slab, const void *caller)
{
	unsigned int objects = slab->objects;
	struct slab_map map;

	slab_map_fill(&map, cache, slab);
	for (unsigned int i = slab->carved; i < objects; i++)
		map.bits[i / 64] |= 1UL << (i % 64);
	for (unsigned int i = 0; i < objects; i++)
		if (!map_has(&map, i))
			slab_debug_free(cache, slab_object(cache, slab, i),
					"usermm_kmem_cache_destroy_all", caller);
}

void slab_debug_still_has_objects(struct kmem_cache *cache, const void *caller)
{
	struct os_files files = { 0 };
	char text[SLAB_CALLER_BYTES];
	struct slab_usage usage;

	if (errors_are_counted())
		return;
	os_describe_in_files(&files, caller, text, SLAB_CALLER_BYTES);
	slab_warn("kmem_cache_destroy %s: Slab cache still has objects when called from %s",
		  cache->name, text);
	/* Full slabs are on no list, so their objects are only counted. */
	slab_usage_read(cache, &usage);
	slab_say("%lu objects in %lu slabs, %lu of them full and not listed; their memory stays",
		 usage.inuse, usage.slabs, usage.slabs - usage.partial);
}

/* --- Frees that cannot be right ---------------------------------------------- */

void slab_debug_wrong_cache(const struct kmem_cache *cache, const struct kmem_cache *owner,
			    const void *object)
{
	static struct report_limit limit = {
		.interval_ms = 60000, .burst = 60, .name = "cache_from_obj: Wrong slab cache",
	};

	if (!report_limit_pass(&limit))
		return;
	if (linux_since(7, 1)) {
		slab_warn("kmem_cache_free(%s, %p): object belongs to different cache %s",
			  cache->name, object, owner->name);
	} else {
		slab_warn("cache_from_obj: Wrong slab cache. %s but object is from %s",
			  cache->name, owner->name);
		slab_say("Object %p", object);
	}
	/* A guarded object lies in no slab. */
	if (cache_is_debugged(owner) && mm_is_online(object) &&
	    pointer_is_valid(owner, slab_of(owner, object), object))
		slab_say_tracks(owner, object);
}

void slab_debug_no_slab(void)
{
	static bool told;	/* Sync: atomic relaxed, as in REPORT_ONCE() */

	if (!atomic_exchange_relaxed(&told, true))
		slab_warn("virt_to_cache: Object is not a Slab page!");
}

FOR_KERNEL(slab_warn);
