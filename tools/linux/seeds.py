# SPDX-License-Identifier: MIT
"""The figures in the seeds' texts, row by row, before and after their patches.

ROWS has a Row for each line of the comparison. If `usermm bench` has the same row, name, step and
path are equal. linux and usermm are the names of the rows that the modules in bench/module print.
Figures are costs of one object, block or page, in the row's unit.
"""
from dataclasses import dataclass


@dataclass
class Row:
    suite: str
    name: str
    step: int
    unit: str			# "cycles" or "ns"
    before: float = None	# the seed's figures; None where it has none
    after: float = None
    path: str = None
    linux: str = None		# the module's row, if its name differs
    usermm: str = None
    last: tuple = None		# the last version of Linux that has it; None: the newest

    def is_of_seed(self):
        return self.before is not None or self.after is not None

    def exists_in(self, version):
        return not self.last or tuple(map(int, version.split("."))) <= self.last

    @property
    def linux_key(self):
        return self.linux or self.name, self.step

    @property
    def usermm_key(self):
        return self.usermm or self.name, self.step


PAGE_ALLOC = (("order3", 3543.00, 3586.95), ("order3_comp", 239.98, 235.49))

PAGE_SINGLE = 158
PAGE_BULK = {1: 128, 2: 107, 3: 100, 4: 95, 8: 91, 16: 88, 32: 85, 64: 85, 128: 84, 256: 115}

# For each size in bytes: (before, after) of kmalloc, of kfree, and of one call of each (a pair).
KMALLOC = {
    8: ((68, 41), (107, 81), (114, 100)),
    16: ((69, 47), (108, 88), (115, 108)),
    32: ((78, 48), (112, 93), (117, 101)),
    64: ((97, 58), (112, 89), (115, 109)),
    128: ((111, 84), (119, 104), (111, 125)),
    256: ((114, 92), (139, 125), (116, 60)),
    512: ((110, 86), (142, 129), (110, 60)),
    1024: ((114, 88), (156, 125), (114, 67)),
    2048: ((155, 120), (174, 159), (110, 60)),
    4096: ((203, 176), (209, 183), (107, 65)),
    8192: ((361, 294), (265, 233), (108, 60)),
    16384: ((597, 585), (286, 291), (706, 686)),
}
# Rows for which the seed has no figures.
KMALLOC_ALL_CPUS = ("concurrent_alloc", "concurrent_free", "concurrent_pair_alloc",
                    "remote_alloc", "remote_free", "handed_alloc", "handed_free")

# How many zeroed pages are taken before they are given back.
ZEROED_PAIRS = (1, 32)
# In nanoseconds: (minimum, average) without quicklists, (minimum, average) with quicklists.
PAGE_TABLES = {
    "pte": ((401, 2700), (8, 1300)),
    "pmd": ((337, 2700), (7, 889)),
    "pud": ((424, 2800), (7, 881)),
    "pgd": ((920, 4000), (8, 150)),
}


def page_rows():
    for name, before, after in PAGE_ALLOC:
        yield Row("page-alloc", name, 3, "ns", before, after)
    yield Row("page-bulk", "single", 1, "cycles", PAGE_SINGLE)
    for name, last in (("list", (6, 13)), ("array", None)):
        for step, after in PAGE_BULK.items():
            yield Row("page-bulk", name, step, "cycles", None, after, last=last)


def kmalloc_rows():
    for number, name in enumerate(("alloc", "free", "pair")):
        for step, figures in KMALLOC.items():
            yield Row("kmalloc", name, step, "cycles", *figures[number], path="sheaf")
    for name in ("pair16", *KMALLOC_ALL_CPUS):
        for step in KMALLOC:
            yield Row("kmalloc", name, step, "cycles", path="sheaf")


def page_table_rows():
    """Linux has no quicklists: its columns have the page allocator's figures in both paths."""
    for end, column in (("", 1), ("_min", 0)):
        for level, (without, with_lists) in PAGE_TABLES.items():
            linux = f"{level}_page_allocator{end}"
            yield Row("quicklist", level + end, 1, "ns", before=without[column],
                      path="page_allocator", linux=linux, usermm=linux)
            yield Row("quicklist", level + end, 1, "ns", after=with_lists[column],
                      path="quicklist", linux=linux, usermm=f"{level}_quicklist{end}")
    for path in ("page_allocator", "quicklist"):
        for step in ZEROED_PAIRS:
            yield Row("quicklist", "zeroed_pair", step, "ns", path=path,
                      linux="zeroed_pair_page_allocator", usermm=f"zeroed_pair_{path}")


ROWS = [*page_rows(), *kmalloc_rows(), *page_table_rows()]
