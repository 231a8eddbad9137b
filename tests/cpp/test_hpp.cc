/* SPDX-License-Identifier: MIT */
/*
 * usermm/usermm.hpp: containers and objects on each class of the header. Built in several ways
 * (cmake/tests/cpp.cmake): with and without exceptions and RTTI, with sanitizers, with malloc's
 * library.
 */
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <list>
#include <map>
#include <memory_resource>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include <usermm/usermm.hpp>

using resources = std::initializer_list<std::pmr::memory_resource *>;

static unsigned int failed, passed;

#define CHECK(condition)                                                                   \
	do {                                                                               \
		if (condition) {                                                           \
			passed++;                                                          \
		} else {                                                                   \
			failed++;                                                          \
			std::printf("not ok: %s:%d: %s\n", __FILE__, __LINE__, #condition); \
		}                                                                          \
	} while (0)

/* A container of a million entries needs one block that no cache has. */
static void use_containers(std::pmr::memory_resource &resource)
{
	std::pmr::vector<std::uint64_t> vector(&resource);
	std::pmr::map<int, std::pmr::string> map(&resource);
	std::pmr::unordered_map<int, int> hash(&resource);
	std::uint64_t sum = 0;

	for (unsigned int i = 0; i < 1000000; i++)
		vector.push_back(i);
	for (std::uint64_t number : vector)
		sum += number;
	CHECK(sum == 999999UL * 1000000 / 2);
	for (int i = 0; i < 2000; i++) {
		map[i] = std::pmr::string(static_cast<std::size_t>(i % 200), 'x');
		hash[i * 7] = i;
	}
	for (int i = 0; i < 2000; i += 2)
		map.erase(i);
	CHECK(map.size() == 1000 && map[1999].size() == 199 && hash[7 * 1500] == 1500);
}

static void use_alignments(std::pmr::memory_resource &resource)
{
	for (std::size_t align = 1; align <= 1 << 22; align *= 2)
		for (std::size_t bytes : { 0U, 1U, 24U, 4096U, 70000U }) {
			void *block = resource.allocate(bytes, align);

			CHECK(reinterpret_cast<std::uintptr_t>(block) % align == 0);
			std::memset(block, 0x11, bytes);
			resource.deallocate(block, bytes, align);
		}
}

static void test_resources()
{
	usermm::memory_resource first, second;
	usermm::cache_resource cache(64);
	usermm::cache_resource coarse(100, 64, "aligned", &first);
	usermm::monotonic_resource monotonic(100000);
	usermm::heap heap("cpp");

	for (std::pmr::memory_resource *resource :
	     resources{ usermm::default_resource(), &first, &cache, &coarse, &monotonic, &heap }) {
		use_containers(*resource);
		use_alignments(*resource);
	}
	CHECK(first == first);
#ifdef __cpp_rtti
	CHECK(first == second);
	CHECK(!(first == *std::pmr::new_delete_resource()));
#endif
	CHECK(!(cache == coarse));
	CHECK(coarse.upstream_resource() == &first && cache.object_bytes() == 64);
	monotonic.release();
	use_containers(monotonic);
}

static std::size_t bytes_held()
{
	usermm_stats stats;

	usermm_stats_read(&stats);
	return stats.slab_bytes + stats.mapped_bytes;
}

/* Objects that are still in use go with their resource. */
static void test_resources_free_all()
{
	std::size_t before;

	/* Memory that earlier tests freed must not go back to the system while this one counts. */
	usermm_trim(0);
	before = bytes_held();
	{
		usermm::cache_resource cache(128);
		usermm::heap heap;
		usermm::monotonic_resource monotonic;

		for (int i = 0; i < 20000; i++) {
			std::memset(cache.allocate(128), 1, 128);
			std::memset(heap.alloc(100), 1, 100);
			std::memset(monotonic.allocate(100), 1, 100);
		}
		CHECK(heap.try_alloc(1 << 20));
		CHECK(heap.stats().blocks == 20001);
		CHECK(bytes_held() > before + (4 << 20));
	}
	CHECK(bytes_held() < before + (1 << 20));
}

static void test_allocator()
{
	std::vector<int, usermm::allocator<int>> vector;
	std::set<std::string, std::less<>, usermm::allocator<std::string>> set;
	struct alignas(256) wide {
		char bytes[256];
	};
	std::list<wide, usermm::allocator<wide>> list(50);

	for (int i = 0; i < 1000000; i++)
		vector.push_back(i);
	CHECK(vector[999999] == 999999);
	for (int i = 0; i < 1000; i++)
		set.insert(std::to_string(i));
	CHECK(set.count("777") == 1);
	for (const wide &item : list)
		CHECK(reinterpret_cast<std::uintptr_t>(&item) % 256 == 0);
	CHECK(usermm::allocator<int>() == usermm::allocator<char>());
}

static int alive;

struct counted {
	explicit counted(int value) : number(value)
	{
#ifdef __cpp_exceptions
		if (value < 0)
			throw value;
#endif
		alive++;
	}
	~counted()
	{
		alive--;
	}
	int number;
	char rest[60];
};

static void test_cache()
{
	usermm::cache<counted> cache("counted", SLAB_HWCACHE_ALIGN);
	std::vector<usermm::cache<counted>::pointer> pointers;
	counted *object = cache.create(5);

	CHECK(alive == 1 && object->number == 5);
	cache.destroy(object);
	cache.destroy(nullptr);
	CHECK(alive == 0);
	object = cache.try_create(GFP_NOWAIT, 6);
	CHECK(object && object->number == 6);
	cache.destroy(object);
	for (int i = 0; i < 1000; i++)
		pointers.push_back(cache.make(i));
	CHECK(alive == 1000 && pointers[999]->number == 999);
	pointers.clear();
	CHECK(alive == 0);
	cache.shrink();

	usermm::cache<int> numbers("numbers");
	for (int i = 0; i < 1000; i++)
		CHECK(*numbers.create(i) == i);
	slab_sheaf *sheaf = kmem_cache_prefill_sheaf(numbers.handle(), GFP_KERNEL, 10);

	CHECK(!numbers.clear_and_destroy());
	kmem_cache_return_sheaf(numbers.handle(), GFP_KERNEL, sheaf);
	CHECK(numbers.clear_and_destroy() && !numbers.handle());
}

static void test_page_block()
{
	usermm::unique_page_block block(3), other, moved;

	CHECK(block && block.order() == 3 && block.size() == 8 * PAGE_SIZE);
	CHECK(reinterpret_cast<std::uintptr_t>(block.data()) % block.size() == 0);
	std::memset(block.data(), 1, block.size());
	CHECK(block.bytes()[100] == std::byte{ 1 });
	CHECK(!other && !other.data() && !other.size());
	moved = std::move(block);
	CHECK(!block && moved.size() == 8 * PAGE_SIZE);
	moved.swap(other);
	CHECK(other && !moved);
	other.reset();
	CHECK(!other);
	CHECK(!usermm::unique_page_block::try_allocate(MAX_PAGE_ORDER + 1));
	struct page *page = usermm::unique_page_block(0).release();
	CHECK(page);
	CHECK(usermm::unique_page_block::adopt(page, 0).size() == PAGE_SIZE);
}

static void test_threads()
{
	usermm::cache_resource resource(48);
	std::vector<std::thread> threads;

	for (int i = 0; i < 3; i++)
		threads.emplace_back([&resource] {
			std::pmr::map<int, int> map(&resource);

			for (int j = 0; j < 20000; j++) {
				map[j % 500] = j;
				map.erase(j * 7 % 500);
			}
		});
	for (std::thread &thread : threads)
		thread.join();
	CHECK(true);
}

#ifdef __cpp_exceptions
static unsigned int handled;

template <typename Exception, typename Function> static bool throws(Function function)
{
	try {
		function();
	} catch (const Exception &) {
		return true;
	}
	return false;
}

static void test_exceptions()
{
	const std::size_t huge = PTRDIFF_MAX - 4096;
	usermm::cache_resource cache(64);
	usermm::monotonic_resource monotonic;
	usermm::heap heap;
	usermm::cache<counted> objects("counted");

	for (std::pmr::memory_resource *resource :
	     resources{ usermm::default_resource(), &cache, &monotonic, &heap })
		CHECK(throws<std::bad_alloc>([=] { (void)resource->allocate(huge); }));
	CHECK(throws<std::bad_array_new_length>(
		[] { (void)usermm::allocator<long>().allocate(SIZE_MAX / 4); }));
	CHECK(throws<std::bad_alloc>([=] { (void)usermm::allocator<char>().allocate(huge); }));
	CHECK(throws<std::bad_alloc>([] { usermm::unique_page_block(MAX_PAGE_ORDER + 1); }));
	/* A constructor that throws leaves no object behind; the cache would report one. */
	CHECK(throws<int>([&] { (void)objects.create(-1); }));
	CHECK(alive == 0);
	/* The new handler is called until it gives up. */
	std::set_new_handler([] {
		if (++handled == 3)
			std::set_new_handler(nullptr);
	});
	CHECK(throws<std::bad_alloc>([=] { (void)usermm::default_resource()->allocate(huge); }));
	CHECK(handled == 3);
	/*
	 * The new handler is not called for a request that no memory could serve: it might never
	 * give up.
	 */
	handled = 0;
	std::set_new_handler([] {
		if (++handled == 100)
			std::set_new_handler(nullptr);
	});
	CHECK(throws<std::bad_alloc>([] { usermm::cache_resource(KMALLOC_MAX_SIZE + 1); }));
	CHECK(throws<std::bad_alloc>([] { usermm::cache_resource(64, 2 * KMALLOC_MAX_SIZE); }));
	CHECK(throws<std::bad_alloc>([] { usermm::cache_resource(64, 24); }));
	CHECK(throws<std::bad_alloc>([] { usermm::cache_resource(64, 16, nullptr); }));
	CHECK(throws<std::bad_alloc>([] { usermm::cache<long> bad(""); }));
	CHECK(throws<std::bad_alloc>([] { usermm::cache<long> bad("bad", ~USERMM_SLAB_FLAGS); }));
	CHECK(throws<std::bad_alloc>([] { usermm::unique_page_block(MAX_PAGE_ORDER + 1); }));
	CHECK(throws<std::bad_array_new_length>(
		[] { (void)usermm::allocator<long>().allocate(SIZE_MAX / 4); }));
	volatile std::size_t largest = SIZE_MAX - 100;
	CHECK(throws<std::bad_alloc>([&] { (void)monotonic.allocate(largest); }));
	CHECK(handled == 0);
	std::set_new_handler(nullptr);
}
#endif

int main()
{
	test_resources();
	test_resources_free_all();
	test_allocator();
	test_cache();
	test_page_block();
	test_threads();
#ifdef __cpp_exceptions
	test_exceptions();
#endif
	std::printf("%u passed, %u failed\n", passed, failed);
	return failed != 0;
}
