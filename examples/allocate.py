#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program that allocates a lot, in several threads, and checks its results.

Run it with PYTHONMALLOC=malloc: every Python object is then a malloc() block of its own, instead of
a piece of the interpreter's private arenas.
"""
import hashlib
import sys
import threading

THREADS = 4
WORDS = 40_000


def small_objects(seed):
    """Makes dicts, tuples and strings of mixed sizes, and frees half of them again."""
    table = {}
    for i in range(WORDS):
        key = f"key-{(i * 2654435761 + seed) % 1_000_003}"
        table[key] = (i, [i] * (i % 23), key * (i % 5))
    for key in list(table)[::2]:
        del table[key]
    return sum(len(words) + len(text) for _, words, text in table.values())


def large_objects(seed):
    """Grows and cuts byte arrays from a page to several megabytes."""
    digest = hashlib.sha256()
    block = bytearray()
    for size in (4096, 65_536, 1_000_003, 4 << 20, 9 << 20):
        block.extend(seed.to_bytes(4, "little") * (size // 4))
        digest.update(bytes(block))
        del block[: size // 2]
    return digest.hexdigest()


def handed_over(seed):
    """Objects made by one thread and freed by another."""
    made = []
    maker = threading.Thread(target=lambda: made.extend(str(i + seed) * 3 for i in range(WORDS)))
    maker.start()
    maker.join()
    return sum(map(len, made))


def work(seed, results):
    results[seed] = (small_objects(seed), large_objects(seed), handed_over(seed))


def main():
    results = {}
    threads = [threading.Thread(target=work, args=(n, results)) for n in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    # One thread alone must get the same results.
    again = {}
    for n in range(THREADS):
        work(n, again)
    if again != results:
        print("allocate.py: threads and a single thread disagree", file=sys.stderr)
        return 1
    for n in range(THREADS):
        small, large, handed = results[n]
        print(f"thread {n}: {small} in small objects, {large[:16]} over large ones, "
              f"{handed} handed over")
    return 0


if __name__ == "__main__":
    sys.exit(main())
