// SPDX-License-Identifier: MIT
/*
 * Memory resources and heaps, by Google Benchmark. A group's first benchmark is what the others
 * are compared with.
 *
 *	pair	allocates, touches and frees one block
 *	stream	allocates many blocks, then frees them
 *	list	fills and empties a container of equal nodes
 */
#include <benchmark/benchmark.h>

#include <array>
#include <list>
#include <memory_resource>
#include <string>

#include <usermm/usermm.hpp>

namespace {

constexpr std::size_t alignment = alignof(std::max_align_t);
using blocks = std::array<void *, 1000>;

template <typename Alloc, typename Free> void add(std::string name, Alloc alloc, Free free)
{
	benchmark::RegisterBenchmark(("pair/" + name).c_str(), [=](benchmark::State &state) {
		for (auto _ : state) {
			void *block = alloc();

			benchmark::DoNotOptimize(block);
			*static_cast<volatile char *>(block) = 1;
			free(block);
		}
	});
	benchmark::RegisterBenchmark(("stream/" + name).c_str(), [=](benchmark::State &state) {
		blocks all;

		for (auto _ : state) {
			for (void *&block : all) {
				block = alloc();
				*static_cast<volatile char *>(block) = 1;
			}
			for (void *block : all)
				free(block);
		}
		state.SetItemsProcessed(state.iterations() * all.size());
	});
}

/* What the program does with a resource: it does not know which one it is. */
void add_resource(std::string name, std::pmr::memory_resource *resource, std::size_t bytes)
{
	benchmark::DoNotOptimize(resource);
	add(name, [=] { return resource->allocate(bytes, alignment); },
	    [=](void *block) { resource->deallocate(block, bytes, alignment); });
}

/* The least that a resource over a cache does: what its virtual functions cost alone. */
class bare_resource : public std::pmr::memory_resource {
      public:
	explicit bare_resource(kmem_cache *cache) : cache_(cache)
	{
	}

      private:
	void *do_allocate(std::size_t, std::size_t) override
	{
		return kmem_cache_alloc(cache_, GFP_KERNEL);
	}

	void do_deallocate(void *block, std::size_t, std::size_t) override
	{
		kmem_cache_free(cache_, block);
	}

	bool do_is_equal(const std::pmr::memory_resource &other) const noexcept override
	{
		return this == &other;
	}

	kmem_cache *cache_;
};

/* All that allocates blocks of a size. */
void add_size(std::size_t bytes)
{
	static usermm::memory_resource all;
	static std::list<usermm::cache_resource> caches;
	static std::list<bare_resource> bare;
	static std::list<usermm::heap> heaps;
	auto *cache = &caches.emplace_back(bytes);
	auto *heap = &heaps.emplace_back("bench");
	kmem_cache *handle = cache->handle();
	std::string size = std::to_string(bytes) + "/";

	add(size + "cache, C calls", [=] { return kmem_cache_alloc(handle, GFP_KERNEL); },
	    [=](void *block) { kmem_cache_free(handle, block); });
	add_resource(size + "bare resource", &bare.emplace_back(handle), bytes);
	add_resource(size + "cache_resource", cache, bytes);
	add(size + "malloc, C calls", [=] { return usermm_malloc(bytes); },
	    [](void *block) { usermm_free(block); });
	add(size + "heap, C calls", [=] { return usermm_heap_alloc(heap->handle(), bytes); },
	    [=](void *block) { usermm_heap_free(heap->handle(), block); });
	add_resource(size + "heap", heap, bytes);
	add_resource(size + "memory_resource", &all, bytes);
	add_resource(size + "std new_delete_resource", std::pmr::new_delete_resource(), bytes);
}

template <typename Make> void add_list(std::string name, Make make)
{
	benchmark::RegisterBenchmark(("list/" + name).c_str(), [=](benchmark::State &state) {
		auto list = make();

		for (auto _ : state) {
			for (int i = 0; i < 1000; i++)
				list.push_back(i);
			benchmark::DoNotOptimize(list.back());
			list.clear();
		}
		state.SetItemsProcessed(state.iterations() * 1000);
	});
}

/* A container that takes pages, and gives all of them back by one call. */
template <typename Resource> void add_monotonic(std::string name)
{
	benchmark::RegisterBenchmark(("monotonic/" + name).c_str(), [](benchmark::State &state) {
		for (auto _ : state) {
			Resource resource(65536);
			std::pmr::list<int> list(&resource);

			for (int i = 0; i < 1000; i++)
				list.push_back(i);
			benchmark::DoNotOptimize(list.back());
		}
		state.SetItemsProcessed(state.iterations() * 1000);
	});
}

} // namespace

int main(int argc, char **argv)
{
	static usermm::cache_resource nodes(sizeof(int) + 2 * sizeof(void *));

	for (std::size_t bytes : {16, 192, 1024})
		add_size(bytes);

	add_list("std::allocator", [] { return std::list<int>(); });
	add_list("usermm::allocator", [] { return std::list<int, usermm::allocator<int>>(); });
	add_list("cache_resource", [] { return std::pmr::list<int>(&nodes); });

	add_monotonic<std::pmr::monotonic_buffer_resource>("std");
	add_monotonic<usermm::monotonic_resource>("usermm");

	benchmark::Initialize(&argc, argv);
	if (benchmark::ReportUnrecognizedArguments(argc, argv))
		return 1;
	benchmark::RunSpecifiedBenchmarks();
	benchmark::Shutdown();
	return 0;
}
