# SPDX-License-Identifier: MIT
"""Typical work of scripts; run with PYTHONMALLOC=malloc and a fixed hash seed."""
import collections
import hashlib
import json
import random
import re
import threading
import zlib

rng = random.Random(1)
words = ["".join(rng.choices("abcdefghij", k=rng.randint(1, 12))) for _ in range(60_000)]
counts = collections.Counter(words)
print(len(counts), counts.most_common(3))

tree = {}
for word in words:
    node = tree
    for letter in word:
        node = node.setdefault(letter, {})
text = json.dumps(tree, sort_keys=True)
assert json.loads(text) == tree
print(len(text), hashlib.sha256(text.encode()).hexdigest())

packed = zlib.compress(text.encode() * 4)
assert zlib.decompress(packed) == text.encode() * 4
print(len(packed), len(re.findall(r"([a-e])\W+\1", text)), sum(3**n % 1009 for n in range(2000)))


def build(results, seed):
    rows = [(n * seed % 1009, str(n) * (n % 7)) for n in range(1, 20_000)]
    results[seed] = hashlib.md5(repr(sorted(rows)).encode()).hexdigest()


results = {}
threads = [threading.Thread(target=build, args=(results, seed)) for seed in (3, 5, 7, 11)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(sorted(results.items()))
try:
    bytearray(1 << 62)
except MemoryError:
    print("no memory for 2^62 bytes")
