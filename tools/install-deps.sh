#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Installs the Debian packages that usermm is built and tested with, as far as
# they are missing: if all are there, nothing is fetched and nothing is asked.
#
# usage: install-deps.sh [--peers | --ports PRESET... | --aarch64 | --numa | --linux | --glibc | --cpython |
#	--suites | --programs | --system | --fuzz]
#
# --aarch64 adds what builds for aarch64 and emulates it, --numa what emulates machines
# with several memory nodes, --linux what builds Linux as a user process, --glibc and
# --cpython their own tests, --suites what builds gnulib's, --programs servers and other
# programs to run under the library, --system what makes and starts a whole one, --fuzz clang
# and its fuzzer. No server is started.
# The peers come along with a required package that is missing; --peers asks for
# them alone as well. So a machine that cannot have them tries only once.
set -eu

# What building and testing need.
required='gcc g++ libc6-dev cmake ninja-build libjansson-dev libcapstone-dev python3 sqlite3 git perl
	gawk xz-utils pkgconf python3-capstone python3-pyelftools binutils-aarch64-linux-gnu spin
	musl-tools valgrind make liburcu-dev
	dpkg-dev file fakeroot'
# The allocators that `usermm bench malloc` compares with, where there are any; and
# the kernel's source, whose tests of rseq are run (150 MB, so not asked for alone), and
# others' tests and tools that `make test` has a short selection of.
peers='libjemalloc2 libmimalloc2.0 libtcmalloc-minimal4 linux-source-6.12 glibc-source
	libpython3.11-testsuite redis-server redis-tools time clang libclang-rt-14-dev
	google-perftools'

# What `make test-aarch64` needs on top.
aarch64='gcc-aarch64-linux-gnu g++-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static qemu-system-arm cpio'
# What `make test-numa` and `make test-limits` need on top.
numa='qemu-system-x86 cpio'
# What `make conformance` and `make compare-linux` need on top.
linux='linux-source-6.12 flex bison bc libelf-dev libssl-dev'
# What `make test-glibc`, `test-cpython`, `test-suites`, `test-programs`, `test-system` and
# `fuzz-malloc` need on top.
glibc='glibc-source'
cpython='python3.11 libpython3.11-testsuite'
suites='gnulib autoconf automake libtool gettext bison gperf texinfo'
programs='redis-server redis-tools postgresql-15 nodejs nginx-light wrk ffmpeg time
	libjemalloc2 libmimalloc2.0 libtcmalloc-minimal4'
system='debootstrap systemd-container'
fuzz='clang libclang-rt-14-dev'
case ${1-} in
--glibc) required="$required $glibc" ;;
--cpython) required="$required $cpython" ;;
--suites) required="$required $suites" ;;
--programs) required="$required $programs" ;;
--system) required="$required $system" ;;
--fuzz) required="$required $fuzz" ;;
--aarch64) required="$required $aarch64" ;;
--numa) required="$required $numa" ;;
--linux) required="$required $linux" ;;
# Compilers and an emulator for each, and a machine for what has sequences.
--ports)
	shift
	required="$required qemu-user"
	for port in "$@"; do
		case $port in
		aarch64) triple=aarch64 ;;
		riscv64) triple=riscv64; required="$required qemu-system-misc opensbi cpio" ;;
		ppc64le) triple=powerpc64le ;;
		s390x) triple=s390x ;;
		loong64) triple=loongarch64 ;;
		*)
			echo "install-deps: no such port: $port" >&2
			exit 2
			;;
		esac
		required="$required gcc-$triple-linux-gnu g++-$triple-linux-gnu"
	done
	set -- --ports
	;;
esac

# Prints those of the given packages that are not installed.
missing()
{
	for package in "$@"; do
		case $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) in
		installed) ;;
		*) printf '%s ' "$package" ;;
		esac
	done
}

# apt-get with no questions asked, as root or through sudo. Servers stay as they are:
# neither systemd nor a runlevel is there to start them.
apt()
{
	set -- env DEBIAN_FRONTEND=noninteractive SYSTEMD_OFFLINE=1 RUNLEVEL=1 apt-get "$@"
	if [ "$(id -u)" -ne 0 ]; then
		set -- sudo "$@"
	fi
	"$@" -qq -y --no-install-recommends -o DPkg::Lock::Timeout=120 \
		-o Dpkg::Use-Pty=0 </dev/null >&2
}

# The package lists are fetched only when the ones at hand do not serve: on a
# fresh machine there are none, on an old one they name files that are gone.
install()
{
	apt install "$@" 2>/dev/null || { apt update && apt install "$@"; }
}

if ! command -v dpkg-query >/dev/null; then
	echo "install-deps: not a Debian system; needed are: $required" >&2
	exit 0
fi

# Unquoted on purpose, here and below: these are lists of names.
need=$(missing $required)
want=
if [ -n "$need" ] || [ "${1-}" = --peers ]; then
	want=$(missing $peers)
fi
[ -n "$need$want" ] || exit 0

if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
	echo "install-deps: missing, and neither root nor sudo to install it: $need$want" >&2
	[ -z "$need" ] && exit 0 || exit 1
fi

echo "install-deps: installing $need$want" >&2
if install $need $want; then
	exit 0
fi

# One bad package spoils a joint call; the required ones decide.
for package in $need; do
	if ! install "$package"; then
		echo "install-deps: cannot install the package $package" >&2
		exit 1
	fi
done
for package in $want; do
	install "$package" || echo "install-deps: going on without $package" >&2
done
