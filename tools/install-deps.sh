#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Installs the missing Debian packages of a set, and first says which, and how much they take. If
# none is missing, it fetches nothing and asks nothing.
#
# usage: install-deps.sh --SET
#
# Most people need one of these four sets:
#
#   --build   builds the libraries and the command: C compiler, libc's headers, CMake, make
#   --run     --build, and the programs that `make run` runs
#   --tools   --build, and what builds further parts: C++ (the malloc library then defines operator
#             new itself), headers with which `usermm bench` reads machine code, libraries with
#             which `usermm inspect` reads a process, and tools that make the Debian package
#   --tests   all of these, and what `make test` needs
#
# The other sets are --tests and:
#
#   --peers          the allocators, and tests of other projects, to compare with. --tests installs
#                    them too, but only if one of its own packages is missing: so a machine where
#                    they cannot be installed tries only once
#   --ports PORT...  cross compilers and emulators for these presets
#   --numa           an emulator of machines with several memory nodes
#   --linux          packages to build Linux as a user process
#   --glibc          glibc's own tests
#   --cpython        CPython's own tests
#   --suites         packages to build gnulib's tests
#   --programs       servers and other programs to run under the library
#   --memory         the allocators to compare with, and what draws pictures of memory over time
#   --system         packages to make and start a whole Debian
#   --distros        packages to make other releases of Debian
#   --image          packages to build a container image; without those of --tests
#   --fuzz           clang and its fuzzer
#   --wheel          packages to build wheels for pip and to run the recipes of `packaging`; without
#                    those of --tests
#   --benchmark      Google Benchmark, without the packages of --tests
#   --browser        a browser that draws the pages of `usermm report` and `usermm profile`
#   --site           what makes the documentation's site, besides MkDocs; without --tests
#
# No server is started.
set -eu

# PACKAGE/PROGRAM: the package is not needed if the program is there. ONE|OTHER: the first package
# that this Debian release has.
run='python3-minimal/python3 sqlite3/sqlite3'
tools='g++ libcapstone-dev libdw-dev libjansson-dev libncurses-dev dpkg-dev file fakeroot'
tests='gcc libc6-dev make ninja-build python3 sqlite3 git perl gawk xz-utils pkgconf python3-capstone
	python3-pyelftools binutils-aarch64-linux-gnu spin musl-tools universal-ctags valgrind liburcu-dev
	man-db mandoc abigail-tools'
# For --peers: the allocators that `usermm bench malloc` compares with, as far as they exist; the
# kernel's source (150 MB) for its rseq tests; tests and tools of other projects, of which `make
# test` runs a short selection.
allocators='libjemalloc2 libmimalloc2.0|libmimalloc3 libtcmalloc-minimal4|libtcmalloc-minimal4t64'
clang='clang libclang-rt-dev'
# The newest first, since that is the release's python3.
cpython='libpython3.14-testsuite|libpython3.13-testsuite|libpython3.11-testsuite'
peers="$allocators linux-source-6.12 glibc-source $cpython redis-server redis-tools
	time $clang google-perftools debootstrap lintian libunwind-dev gdb bpftrace mold lld zsh fish
	nginx-light ruby php-cli postgresql-15|postgresql-17|postgresql-18
	libbenchmark-dev"

numa='qemu-system-x86 cpio'
linux='linux-source-6.12 flex bison bc libelf-dev libssl-dev'
glibc='glibc-source'
# A browser that draws the pages of `usermm report` and `usermm profile`.
browser='chromium'
benchmark='libbenchmark-dev'
site='python3 python3-venv mandoc'
suites='gnulib autoconf automake libtool gettext bison gperf texinfo'
programs="redis-server redis-tools postgresql-15|postgresql-17|postgresql-18 nodejs nginx-light wrk
	ffmpeg time $allocators"
memory="python3-matplotlib $allocators"
system='debootstrap systemd-container'
distros='debootstrap'
image='buildah debootstrap'
fuzz="$clang"
wheel='python3-venv ninja-build musl-tools'

say()
{
	echo "install-deps: $*" >&2
}

have()
{
	command -v "$1" >/dev/null
}

# Packages that the build needs. None is asked for if another program does its work, for example a
# compiler from another package or the user's own.
build_needs()
{
	for compiler in "${CC:-cc}" gcc clang; do
		if echo '#include <pthread.h>' | $compiler -E -o /dev/null - 2>/dev/null; then
			compiler=
			break
		fi
	done
	[ -z "$compiler" ] || echo gcc libc6-dev
	have cmake || echo cmake
	have make || have ninja || echo make
}

set=${1-}
required=$(build_needs)
optional=
case $set in
--build) ;;
--run) required="$required $run" ;;
--tools) required="$required $tools" ;;
--tests) required="$required $tools $tests" optional=$peers ;;
--peers) required="$required $tools $tests" optional=$peers ;;
--numa) required="$required $tools $tests $numa" ;;
--linux) required="$required $tools $tests $linux" ;;
--glibc) required="$required $tools $tests $glibc" ;;
--cpython) required="$required $tools $tests python3.14|python3.13|python3.11 $cpython" ;;
--suites) required="$required $tools $tests $suites" ;;
--programs) required="$required $tools $tests $programs" ;;
--memory) required="$required $tools $tests $memory" ;;
--system) required="$required $tools $tests $system" ;;
--distros) required="$required $tools $tests $distros" ;;
--image) required="$required $image" ;;
--fuzz) required="$required $tools $tests $fuzz" ;;
--site) required="$required $site" ;;
--wheel) required="$required $tools $wheel" ;;
--benchmark) required="$required $tools $benchmark" ;;
--browser) required="$required $tools $tests $browser" ;;
--ports)
	shift
	required="$required $tools $tests"
	emulator='qemu-user|qemu-user-static'
	for port in "$@"; do
		case $port in
		aarch64)
			triple=aarch64 emulator=qemu-user-static
			required="$required qemu-system-arm cpio"
			;;
		riscv64) triple=riscv64 required="$required qemu-system-misc opensbi cpio" ;;
		ppc64le) triple=powerpc64le ;;
		s390x) triple=s390x ;;
		loong64) triple=loongarch64 ;;
		*)
			say "no such port: $port; there are aarch64, riscv64, ppc64le, s390x, loong64"
			exit 2
			;;
		esac
		required="$required $emulator gcc-$triple-linux-gnu g++-$triple-linux-gnu"
	done
	;;
*)
	say "give a set: --build, --run, --tools or --tests ($0 lists more)"
	exit 2
	;;
esac

is_installed()
{
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Prints those of the packages that this Debian release has. All are one question, since apt takes a
# second for each.
candidates()
{
	LC_ALL=C apt-cache policy "$@" 2>/dev/null |
		awk '/^[^ ]/ { sub(/:$/, ""); name = $0 } /^  Candidate: [0-9]/ { print name }'
}

# Prints the given packages that are missing, each once; for alternatives the one to install.
missing()
{
	lacking=
	for word in "$@"; do
		package=${word%/*}
		case $word in
		*/*) ! have "${word#*/}" || continue ;;
		esac
		for name in $(echo "$package" | tr '|' ' '); do
			! is_installed "$name" || continue 2
		done
		lacking="$lacking $package"
	done
	[ -n "$lacking" ] || return 0
	there=" $(candidates $(echo "$lacking" | tr '|' ' ') | tr '\n' ' ')"
	for package in $lacking; do
		choice=
		for name in $(echo "$package" | tr '|' ' '); do
			case $there in
			*" $name "*)
				choice=$name
				break
				;;
			esac
		done
		echo "${choice:-${package%%|*}}"
	done | awk '!seen[$0]++'
}

# Runs the command as root, through sudo if necessary.
as_root()
{
	if [ "$(id -u)" -ne 0 ]; then
		set -- sudo "$@"
	fi
	"$@"
}

# apt-get without questions. It starts no servers, since systemd and the runlevel seem to be absent.
apt()
{
	as_root env DEBIAN_FRONTEND=noninteractive SYSTEMD_OFFLINE=1 RUNLEVEL=1 apt-get "$@" \
		-qq -y --no-install-recommends -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0 \
		</dev/null >&2
}

# Lists all files that would be fetched, one a line, with name, size and URL.
files()
{
	apt-get install --print-uris -qq -y --no-install-recommends "$@" 2>/dev/null
}

# Prints those of the packages that apt can install. If it cannot install all that there are, it is
# asked for each.
known()
{
	[ $# -gt 0 ] || return 0
	set -- $(candidates "$@")
	if [ $# -eq 0 ] || files "$@" >/dev/null; then
		[ $# -eq 0 ] || printf '%s\n' "$@"
		return
	fi
	for package in "$@"; do
		! files "$package" >/dev/null || echo "$package"
	done
}

# "63 packages with what they need: 78 MB to fetch, 281 MB on disk"
cost()
{
	if ! list=$(files "$@"); then
		echo "apt does not know some of them"
		return
	fi
	fetched=$(echo "$list" | awk '{ n++; bytes += $3 }
		END { printf "%d packages with what they need: %.0f MB to fetch", n, bytes / 1e6 }')
	names=$(echo "$list" | awk '{ sub(/_.*/, "", $2); print $2 }')
	# Unquoted on purpose, here and below: these are lists of names.
	disk=$(apt-cache show --no-all-versions $names 2>/dev/null |
		awk '/^Installed-Size:/ { kib += $2 } END { printf "%.0f", kib * 1024 / 1e6 }')
	echo "$fetched, $disk MB on disk"
}

if ! have dpkg-query; then
	# Not Debian: a package counts as missing unless its program is there.
	is_installed() { false; }
	need=$(missing $required)
	[ -z "$need" ] || say "not a Debian system; install what Debian calls" $need
	exit 0
fi

need=$(missing $required)
want=
if [ -n "$need" ] || [ "$set" = --peers ]; then
	want=$(missing $optional)
fi
[ -n "$need$want" ] || exit 0

if ! have apt-get; then
	say "missing, and no apt-get to install it:" ${need:-$want}
	[ -z "$need" ] && exit 0 || exit 1
fi
if [ "$(id -u)" -ne 0 ] && ! have sudo; then
	say "missing, and neither root nor sudo to install it:" ${need:-$want}
	[ -z "$need" ] && exit 0 || exit 1
fi

# Fetch the package lists only if those on the machine do not work: a fresh machine has none, and on
# an old one they name files that no longer exist.
if [ -z "$need" ] || ! files $need >/dev/null; then
	say "fetching the lists of packages"
	if ! apt update; then
		say "cannot fetch the lists; run apt-get update, then install:" $need $want
		[ -z "$need" ] && exit 0 || exit 1
	fi
	need=$(missing $required)
	[ -z "$want" ] || want=$(missing $optional)
fi
want=$(known $want)
[ -n "$need$want" ] || exit 0
say "installing" $need $want "($(cost $need $want))"
if apt install $need $want 2>/dev/null || { apt update && apt install $need $want; }; then
	exit 0
fi

# One bad package makes a joint call fail, so install them one by one. Only required ones must work.
for package in $need; do
	if ! apt install "$package"; then
		say "cannot install the package $package"
		exit 1
	fi
done
for package in $want; do
	apt install "$package" || say "going on without $package"
done
