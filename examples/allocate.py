#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program that allocates in earnest and checks what it gets back.

Run it with PYTHONMALLOC=malloc: every Python object is then a malloc() of its
own, instead of a piece of the interpreter's private arenas.
"""
import hashlib
import sys
import threading

THREADS = 4
WORDS = 40_000


def small_objects(seed):
    """Dicts, tuples and strings of mixed sizes, half of them freed again."""
    table = {}
    for i in range(WORDS):
        key = f"key-{(i * 2654435761 + seed) % 1_000_003}"
        table[key] = (i, [i] * (i % 23), key * (i % 5))
    for key in list(table)[::2]:
        del table[key]
    return sum(len(words) + len(text) for _, words, text in table.values())


def large_objects(seed):
    """Bytes from a page to several megabytes, grown, cut and joined."""
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

    # Done once more by one thread alone, it has to come to the same.
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
