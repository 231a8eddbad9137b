# SPDX-License-Identifier: MIT
"""Sources of crates, by name and version, from the registry that cargo is set up for."""
import subprocess


def unpacked(crate, version, folder):
    """A folder with the crate's files."""
    project = folder / f"{crate}-{version}"
    if not (project / "vendor" / crate).exists():
        (project / "src").mkdir(parents=True, exist_ok=True)
        (project / "src" / "lib.rs").touch()	# never compiled
        (project / "Cargo.toml").write_text(
            f'[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n\n'
            f'[dependencies]\n{crate} = "={version}"\n')
        subprocess.run(["cargo", "vendor", "--quiet"], check=True, cwd=project,
                       stdout=subprocess.DEVNULL)
    return project / "vendor" / crate
