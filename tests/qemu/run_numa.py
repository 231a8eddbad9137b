#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs tests of a build on machines with several memory nodes, which are emulated.

Debian's newest cloud kernel for amd64 (from the backports where there are any) is fetched
into the build directory, then each machine of MACHINES is booted. The script always prints the
results of page/test_numa, which asks the kernel where pages lie.

Each machine ends with a line "N passed, N failed"; the exit status is 0 if none failed.
"""
import argparse
import re
import sys

from machine import Setup, add_arguments

# Each machine's nodes, with CPUs and MiB of memory; and the distances that are not 20.
MACHINES = {
    "two": ([("0-1", 768), ("2-3", 768)], {}),
    # A row of four, the third without a CPU, the last without memory.
    "four": ([("0", 512), ("1-2", 512), (None, 512), ("3", 0)],
             {(0, 1): 15, (1, 2): 15, (2, 3): 15, (0, 2): 25, (1, 3): 25, (0, 3): 35}),
    # The first has CPUs only.
    "gap": ([("0", 0), ("1", 768), ("2-3", 768)], {(0, 1): 20, (0, 2): 12, (1, 2): 20}),
}


# These tests expect the single zone of a machine with one node, or that all pages are of the CPU's
# own node: quicklists keep no others.
ONE_NODE = re.compile("^(page/test_(buddy|bulk|bulk_abort|exhaustion|pcp_drain|reclaim|release|"
                      "signal)|"
                      "slab/test_(barn|barn_threads|exhaustion|kfence|small_slab(_misuse)?)|"
                      "quicklist/test_(cache|debug|quicklist|shrink|threads)|"
                      "stats/test_stats):")


def with_one_node(test):
    name, command, environment, seconds = test
    if ONE_NODE.match(name):
        environment = [word + ":nodes=1" if word.startswith("USERMM_OPTIONS=") else word
                       for word in environment]
    return name, command, environment, seconds


def nodes_of_qemu(name):
    nodes, distances = MACHINES[name]
    words = ["-m", f"{sum(mib for _, mib in nodes)}M",
             # A socket each: CPUs that share one are of one node.
             "-smp", f"{count_cpus(nodes)},sockets={count_cpus(nodes)}"]
    for nid, (cpus, mib) in enumerate(nodes):
        node = f"node,nodeid={nid}" + (f",cpus={cpus}" if cpus else "")
        if mib:
            words += ["-object", f"memory-backend-ram,size={mib}M,id=m{nid}"]
            node += f",memdev=m{nid}"
        words += ["-numa", node]
    for (one, other), distance in distances.items():
        words += ["-numa", f"dist,src={one},dst={other},val={distance}"]
    return words


def count_cpus(nodes):
    return 1 + max(int(cpus.split("-")[-1]) for cpus, _ in nodes if cpus)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.add_argument("--tests",
                        default="^(os|mm|page|slab|quicklist|stats|malloc_core)/(?!.*stress).*"
                                ":(rseq|locked)",
                        help="regular expression; those it matches run (no stress tests: an "
                             "emulator is slow)")
    parser.add_argument("--show", default="page/test_numa",
                        help="regular expression; these tests' output is shown in any case")
    parser.add_argument("--boot", default="",
                        help="for the kernel, e.g. sysctl.vm.overcommit_memory=2")
    parser.add_argument("machines", nargs="*", help=f"of {', '.join(MACHINES)}; default all")
    args = parser.parse_args()

    setup = Setup(args, "numa", "amd64")
    setup.tests = [with_one_node(test) for test in setup.tests]
    setup.fetch()
    setup.pack(setup.libraries())
    status = 0
    for name in args.machines or MACHINES:
        print(f"\nmachine {name}", flush=True)
        status |= setup.boot(nodes_of_qemu(name), f"machine {name}", args.boot,
                             f"console-{name}.log")
    return status


if __name__ == "__main__":
    sys.exit(main())
