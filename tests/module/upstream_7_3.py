# SPDX-License-Identifier: MIT
"""The tests of Linux 7.3 that run_upstream.py runs unchanged; it says what a row is."""
import os
from pathlib import Path

KERNEL_HEADERS = Path(__file__).resolve().parents[2] / "include" / "kernel"
SYSTEM_HEADERS = [Path("/usr/include"), Path(f"/usr/include/{os.uname().machine}-linux-gnu")]
HEADER_FOLDERS = ("include/linux/", "include/crypto/", "include/kunit/", "include/net/",
                  "include/trace/events/")
SUITE = r"(?m)^ok 1 \S+$"
# Trees that usermm has by itself: these tests look into the kernel's nodes.
TREE_HEADERS = ["include/linux/xarray.h", "include/linux/radix-tree.h", "include/linux/idr.h",
                "include/linux/maple_tree.h", "include/trace/events/maple_tree.h"]
WITH_TREES = {"lib/test_xarray.c", "lib/test_maple_tree.c"}
HASH_HEADERS = ["include/linux/rhashtable.h", "include/linux/rhashtable-types.h"]
WITH_HASH_TABLES = {"lib/test_rhashtable.c", "lib/test_objagg.c"}
REGMAP = [*(f"drivers/base/regmap/regmap-{part}.c" for part in ("kunit", "ram", "raw-ram")),
          "tests/module/lib/regmap/internal.h"]
# These test the files of lib/crypto, which fit their own headers alone.
CRYPTO_TESTS = "lib/crypto/tests/"
CRYPTO_HEADERS = [f"include/crypto/{name}.h" for name in ("aes", "md5", "sha1", "sha2", "utils")]


def first_headers(test):
    """The kernel's headers that stand before usermm's."""
    if test in WITH_TREES:
        return TREE_HEADERS
    if test in WITH_HASH_TABLES:
        return HASH_HEADERS
    if test.startswith(CRYPTO_TESTS):
        return CRYPTO_HEADERS
    return []


def is_wanted(name):
    """lib/, whose files include others of it, and headers that nobody else has."""
    if name.startswith("lib/") and name.endswith((".c", ".h")):
        return True
    if name in TREE_HEADERS + HASH_HEADERS + CRYPTO_HEADERS:
        return True
    header = name.removeprefix("include/")
    return name.startswith(HEADER_FOLDERS) and not any(
        (folder / header).exists() for folder in (KERNEL_HEADERS, *SYSTEM_HEADERS))


TESTS = [
    (["lib/tests/base64_kunit.c", "lib/base64.c"], [], SUITE, None),
    (["lib/tests/bitfield_kunit.c"], [], SUITE, None),
    (["lib/tests/bitops_kunit.c"], [], SUITE, None),
    (["lib/tests/cmdline_kunit.c", "lib/cmdline.c"], [], SUITE, None),
    (["lib/tests/cpumask_kunit.c"], [], SUITE, None),
    (["lib/tests/ffs_kunit.c"], [], SUITE, None),
    (["lib/tests/glob_kunit.c", "lib/glob.c"], [], SUITE, None),
    (["lib/tests/is_signed_type_kunit.c"], [], SUITE, None),
    (["lib/tests/kfifo_kunit.c"], [], SUITE, None),
    (["lib/tests/memcpy_kunit.c"], [], SUITE, None),
    (["lib/tests/min_heap_kunit.c", "lib/min_heap.c"], [], SUITE, None),
    (["lib/tests/overflow_kunit.c"], [], SUITE, None),
    (["lib/tests/random32_kunit.c", "lib/random32.c"], [], SUITE, None),
    (["lib/tests/randstruct_kunit.c"], [], r"ok 1 randstruct # SKIP",
     "the compiler does not lay out structures at random"),
    (["lib/tests/siphash_kunit.c", "lib/siphash.c"], [], SUITE, None),
    (["lib/tests/slub_kunit.c"], [], SUITE, None),
    (["lib/tests/string_kunit.c"], [], SUITE, None),
    (["lib/tests/string_helpers_kunit.c"], [], SUITE, None),
    (["lib/tests/util_macros_kunit.c"], [], SUITE, None),
    (["lib/tests/uuid_kunit.c", "lib/uuid.c"], [], SUITE, None),
    (["lib/tests/hashtable_test.c"], [], SUITE, None),
    (["lib/tests/list-private-test.c"], [], SUITE, None),
    (["lib/tests/list-test.c", "lib/klist.c"], [], SUITE, None),
    (["lib/tests/test_bits.c"], [], SUITE, None),
    (["lib/tests/test_hash.c"], [], SUITE, None),
    (["lib/tests/test_linear_ranges.c", "lib/linear_ranges.c"], [], SUITE, None),
    (["lib/tests/test_list_sort.c"], [], SUITE, None),
    (["lib/tests/test_ratelimit.c"], [], SUITE, None),
    (["lib/tests/test_sort.c"], [], SUITE, None),
    (["lib/math/tests/gcd_kunit.c", "lib/math/gcd.c"], [], SUITE, None),
    (["lib/math/tests/int_log_kunit.c", "lib/math/int_log.c"], [], SUITE, None),
    (["lib/math/tests/int_pow_kunit.c"], [], SUITE, None),
    (["lib/math/tests/int_sqrt_kunit.c"], [], SUITE, None),
    (["lib/math/tests/polynomial_kunit.c", "lib/math/polynomial.c"], [], SUITE, None),
    (["lib/math/tests/rational_kunit.c", "lib/math/rational.c"], [], SUITE, None),
    (["lib/math/test_div64.c"], [], r"Completed 64bit/32bit", None),
    (["lib/math/tests/prime_numbers_kunit.c", "lib/math/prime_numbers.c"],
     ["-DCONFIG_PRIME_NUMBERS_KUNIT_TEST=1"], SUITE, None),
    (["lib/tests/shdi3_kunit.c", "lib/lshrdi3.c", "lib/ashrdi3.c", "lib/ashldi3.c"],
     [], SUITE, None),
    (["lib/math/test_mul_u64_u64_div_u64.c"],
     [], r"Completed test_mul_u64_u64_div_u64_32bit\(\) test, 56 tests, 0 errors", None),
    (["lib/atomic64_test.c"], [], r"atomic64_test: passed", None),
    (REGMAP, [], SUITE, None),
    (["lib/crc/tests/crc_kunit.c"], [], r"(?m)^1\.\.0$",
     "the kernel's configuration chooses the checksums; none is chosen"),
    (["lib/find_bit_benchmark.c"], [], r"find_next_and_bit", None, 22),
    (["lib/interval_tree_test.c", "lib/interval_tree.c", "include/linux/interval_tree.h",
      "include/linux/interval_tree_generic.h"],
     ["perf_loops=100", "search_loops=100"], r"cycles \(\d+ results\)", None),
    (["lib/kunit/kunit-example-test.c"], [], SUITE, None),
    (["lib/kunit/backtrace-suppression-test.c"], [], SUITE, None),
    (["lib/packing_test.c", "lib/packing.c"], [], SUITE, None),
    (["lib/percpu_test.c"], [], r"percpu test done", None),
    (["lib/rbtree_test.c"], ["perf_loops=100"], r"latency of nnodes", None),
    (["lib/test-kstrtox.c"], [], r"(?s)\A(?!.*WARNING)", None, 22),
    (["lib/test_bitops.c"], [], r"Completed bitops test", None),
    (["lib/test_free_pages.c"], [], r"test_free_pages: Test completed", None),
    (["lib/test_hexdump.c"], [], r"all \d+ tests passed", None),
    (["lib/test_ida.c"], [], r"IDA: (\d+) of \1 tests passed", None, 22),
    (["lib/test_maple_tree.c", "tests/kernel/trees/start_maple_tree.c", "lib/maple_tree.c"],
     ["-DCONFIG_DEBUG_MAPLE_TREE=1"], r"maple_tree: (\d+) of \1 tests passed", None),
    (["lib/test_memcat_p.c", "lib/memcat_p.c"], [], r"test passed", None),
    (["lib/test_meminit.c"],
     ["-DCONFIG_INIT_ON_ALLOC_DEFAULT_ON=1"], r"test_meminit: all \d+ tests passed!", None),
    (["lib/test_module.c"], [], r"Goodbye", None),
    (["lib/test_objagg.c", "lib/objagg.c", "lib/rhashtable.c"], [], r"", None),
    (["lib/test_objpool.c", "lib/objpool.c"],
     [], r"async & hrtimer: percpu objpool from vmalloc", None),
    (["lib/test_parman.c", "lib/parman.c"], [], r"Priority array check successful", None),
    (["lib/test_rhashtable.c", "lib/rhashtable.c"],
     [], r"Started 10 threads, 0 failed, rhltable test returns 0", None),
    (["lib/test_static_key_base.c", "lib/test_static_keys.c"], [], r"", None),
    (["lib/test_ubsan.c"], [], r"test_ubsan_misaligned_access", None),
    (["lib/test_vmalloc.c"],
     ["test_loop_count=1000"],
     r"(?s)\A(?!.*(?<!align_shift_alloc_test) passed: 0 ).*All test took", None),
    (["lib/test_xarray.c", "tests/kernel/trees/start_radix_tree.c", "lib/xarray.c",
      "lib/radix-tree.c"],
     [], r"XArray: (\d+) of \1 tests passed", None),
    (["lib/xz/xz_dec_test.c", "lib/xz/xz_dec_stream.c", "lib/xz/xz_dec_lzma2.c",
      "lib/xz/xz_dec_bcj.c", "lib/xz/xz_dec_syms.c"],
     [], r"module unloaded", None),
    (["lib/crypto/tests/blake2b_kunit.c", "lib/crypto/blake2b.c"], [], SUITE, None),
    (["lib/crypto/tests/blake2s_kunit.c", "lib/crypto/blake2s.c"], [], SUITE, None),
    (["lib/crypto/tests/chacha20poly1305_kunit.c", "lib/crypto/chacha.c",
      "lib/crypto/chacha20poly1305.c", "lib/crypto/poly1305.c",
      "lib/crypto/poly1305-donna64.c", "lib/crypto/utils.c", "lib/crypto/memneq.c",
      "lib/crypto/chacha-block-generic.c", "lib/scatterlist.c"],
     ["-DCONFIG_CRYPTO_LIB_POLY1305_RSIZE=1"], SUITE, None),
    (["lib/crypto/tests/curve25519_kunit.c", "lib/crypto/memneq.c", "lib/crypto/curve25519.c",
      "lib/crypto/curve25519-hacl64.c"],
     [], SUITE, None),
    (["lib/crypto/tests/ghash_kunit.c", "lib/crypto/gf128hash.c"], [], SUITE, None),
    (["lib/crypto/tests/md5_kunit.c", "lib/crypto/md5.c"], [], SUITE, None),
    (["lib/crypto/tests/mldsa_kunit.c", "lib/crypto/mldsa.c", "lib/crypto/sha3.c",
      "lib/crypto/utils.c"],
     ["-DCONFIG_CRYPTO_LIB_MLDSA_KUNIT_TEST=1"], SUITE, None),
    (["lib/crypto/tests/nh_kunit.c", "lib/crypto/nh.c"], [], SUITE, None),
    (["lib/crypto/tests/poly1305_kunit.c", "lib/crypto/poly1305.c",
      "lib/crypto/poly1305-donna64.c"],
     ["-DCONFIG_CRYPTO_LIB_POLY1305_RSIZE=1"], SUITE, None),
    (["lib/crypto/tests/polyval_kunit.c", "lib/crypto/gf128hash.c"], [], SUITE, None),
    (["lib/crypto/tests/sha1_kunit.c", "lib/crypto/sha1.c"], [], SUITE, None),
    (["lib/crypto/tests/sha224_kunit.c", "lib/crypto/sha256.c"], [], SUITE, None),
    (["lib/crypto/tests/sha256_kunit.c", "lib/crypto/sha256.c"], [], SUITE, None),
    (["lib/crypto/tests/sha384_kunit.c", "lib/crypto/sha512.c"], [], SUITE, None),
    (["lib/crypto/tests/sha3_kunit.c", "lib/crypto/sha3.c", "lib/crypto/utils.c"], [], SUITE, None),
    (["lib/crypto/tests/sha512_kunit.c", "lib/crypto/sha512.c"], [], SUITE, None),
    (["lib/crypto/tests/sm3_kunit.c", "lib/crypto/sm3.c"], [], SUITE, None),
    (["lib/raid/xor/tests/xor_kunit.c", "lib/raid/xor/xor-core.c", "lib/raid/xor/xor-8regs.c",
      "lib/raid/xor/xor-32regs.c", "lib/raid/xor/xor-8regs-prefetch.c",
      "lib/raid/xor/xor-32regs-prefetch.c"],
     ["-I{folder}/lib/raid/xor"], SUITE, None),
    (["mm/dmapool_test.c", "mm/dmapool.c"], [], r"dmapool test: size:68", None),
    (["mm/kfence/kfence_test.c"], ["-o", "kfence_sample=2"], SUITE, None),
    (["kernel/time/time_test.c", "kernel/time/timeconv.c"], [], SUITE, None),
    (["kernel/backtracetest.c"], [], r"end of backtrace testing", None),
    (["kernel/sysctl-test.c"], [], SUITE, None),
    (["kernel/locking/test-ww_mutex.c"], [], r"All ww mutex selftests passed", None),
    (["mm/mempool.c", "tests/conformance/mempool/mempool_helpers.c",
      "tests/conformance/mempool/mempool_reserve.c",
      "tests/conformance/mempool/mempool_waiting.c"],
     [], SUITE, None),
    (["lib/btree.c", "tests/module/lib/client_btree.c"], [], SUITE, None),
    (["lib/genalloc.c", "tests/module/lib/client_genalloc.c",
      "include/linux/genalloc.h"], [], SUITE, None),
    (["mm/list_lru.c", "tests/module/lib/client_list_lru.c"], [], SUITE, None),
    (["lib/fault-inject.c", "tests/module/lib/client_fault.c"], [], SUITE, None),
    (["lib/sg_pool.c", "lib/scatterlist.c", "tests/module/lib/client_scatterlist.c"],
     [], SUITE, None),
    (["tools/testing/selftests/mm/page_frag/page_frag_test.c"],
     ["nr_test=100000", "test_push_cpu=0", "test_pop_cpu=1"],
     r"of iterations for non-aligned testing took", None),
]
