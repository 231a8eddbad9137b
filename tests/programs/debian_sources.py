# SPDX-License-Identifier: MIT
"""Sources of Debian packages, by name, from the mirrors that the machine is set up for."""
import shutil
import subprocess
import tarfile


def unpacked(package, folder, wanted):
    """A folder with the package's files below the given prefixes, as its tree has them.

    apt's lists of sources stay in the folder, so the system's lists do not change.
    """
    target = folder / package
    stamp = target / "unpacked"
    if stamp.exists() and stamp.read_text() == repr(wanted):
        return target
    download = folder / "apt"
    if not archives(package, download):
        fetch(package, download)
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    with tarfile.open(archives(package, download)[-1]) as tar:
        for member in tar:
            member.name = member.name.partition("/")[2]
            if member.name.startswith(wanted) and not member.isdev():
                tar.extract(member, target)
    stamp.write_text(repr(wanted))
    return target


def archives(package, download):
    return sorted((path for path in download.glob(f"{package}_*.orig.tar.*")
                   if path.suffix != ".asc"), key=lambda path: path.stat().st_mtime)


def fetch(package, download):
    lists = download / "lists"
    (lists / "partial").mkdir(parents=True, exist_ok=True)
    known = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE)",
                            "Created-By: Packages", "Component: main", "Origin: Debian"],
                           check=True, capture_output=True, text=True).stdout.splitlines()
    # Updates have patches of their own, but the upstream sources are the release's.
    releases = sorted({line for line in known if not line.endswith("-security")})
    sources = download / "sources.list"
    sources.write_text("".join(f"deb-src {line} main\n" for line in releases))
    # The sandbox user that apt takes for root's downloads could not write here.
    apt = ["apt-get", "-qq", f"-oDir::Etc::SourceList={sources}", "-oDir::Etc::SourceParts=-",
           f"-oDir::State::lists={lists}", "-oDir::Cache::pkgcache=",
           "-oDir::Cache::srcpkgcache=", "-oAPT::Sandbox::User=root"]
    subprocess.run([*apt, "update"], check=True, cwd=download)
    subprocess.run([*apt, "source", "--download-only", package], check=True, cwd=download)
