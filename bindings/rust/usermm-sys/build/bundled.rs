// SPDX-License-Identifier: MIT
//! Compiles the C sources in c/ (sources.rs says which) by the crate cc into one object, with the
//! compiler's own unwinder under names of ours, for stacks in reports (not on musl).
//!
//! Names of the object that are not API become local, so that they clash with no other library's.
//! That takes `objcopy`, which comes with every gcc, and with clang where clang uses GNU's tools.

use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::fail;
use super::sources::{COMMON_FLAGS, Group, OPTIMIZATION, STANDARD, common_defines, find_sources};

pub fn compile() {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap());
    let root = here.join("c");
    let src = root.join("src");
    let mut flags = common_flags(&root, &out);
    let groups = find_sources(&src, &target_arch(), flags.get_compiler().is_like_gnu());
    if groups.is_empty() {
        fail(&format!(
            "{} has no C sources; if the repository was checked out without symbolic links, \
             run git config core.symlinks true, and check it out again",
            src.display()
        ));
    }
    println!("cargo::rerun-if-changed={}", src.display());
    println!("cargo::rerun-if-changed={}", root.join("include/usermm").display());
    println!("cargo::rerun-if-env-changed=OBJCOPY");
    println!("cargo::metadata=include={}", root.join("include").display());

    let unwinder = make_unwinder(&flags, &out);
    let assertions = cfg!(feature = "assertions");
    for (name, value) in common_defines(&library_version(&root), assertions, unwinder.is_some()) {
        flags.define(&name, value.as_deref());
    }
    let mut objects: Vec<_> =
        groups.iter().flat_map(|group| compile_group(&flags, group)).collect();
    objects.extend(unwinder);
    flags.clone().object(join_objects(&flags, &objects, &out)).compile("usermm");
}

fn common_flags(root: &Path, out: &Path) -> cc::Build {
    let mut build = cc::Build::new();
    build
        .include(root.join("src"))
        .include(root.join("include"))
        .std(STANDARD)
        .opt_level(OPTIMIZATION)
        .pic(true)
        .warnings(false)
        .force_frame_pointer(false);
    for flag in COMMON_FLAGS {
        build.flag(flag);
    }
    if target_env() == "musl" && !finds_kernel_headers(&build) {
        build.flag("-idirafter").flag(kernel_headers(out));
    }
    build
}

fn compile_group(flags: &cc::Build, group: &Group) -> Vec<PathBuf> {
    let mut build = flags.clone();
    for (name, value) in group.defines() {
        build.define(&name, value.as_deref());
    }
    for flag in group.flags {
        build.flag(flag);
    }
    build.files(&group.files).compile_intermediates()
}

fn library_version(root: &Path) -> String {
    let header = fs::read_to_string(root.join("include/usermm/usermm.h")).unwrap_or_default();
    let line = header.lines().find(|line| line.starts_with("#define USERMM_VERSION "));
    match line.and_then(|line| line.split('"').nth(1)) {
        Some(version) => version.to_string(),
        None => fail("include/usermm/usermm.h does not define USERMM_VERSION"),
    }
}

fn target_env() -> String {
    env::var("CARGO_CFG_TARGET_ENV").unwrap_or_default()
}

fn target_arch() -> String {
    env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default()
}

fn finds_kernel_headers(flags: &cc::Build) -> bool {
    let mut command = flags.get_compiler().to_command();
    command.args(["-E", "-include", "linux/futex.h", "-x", "c", "/dev/null"]);
    succeeds(&mut command)
}

/// Debian's musl has none of the kernel's headers, and the folders of Debian's would bring in
/// glibc's. So this folder shows the kernel's alone.
fn kernel_headers(out: &Path) -> PathBuf {
    let folder = out.join("kernel-headers");
    let arch = format!("/usr/include/{}-linux-gnu", target_arch());
    let cross = format!("/usr/{}-linux-gnu/include", target_arch());
    fs::create_dir_all(&folder).unwrap();
    for name in ["linux", "asm-generic", "asm"] {
        let found = [arch.as_str(), cross.as_str(), "/usr/include"]
            .iter()
            .map(|place| Path::new(place).join(name))
            .find(|path| path.exists());
        let Some(found) = found else {
            fail(&format!(
                "the compiler for {} finds no headers of the kernel (linux/futex.h); \
                 install linux-libc-dev or linux-headers",
                env::var("TARGET").unwrap_or_default()
            ))
        };
        let link = folder.join(name);
        let _ = fs::remove_file(&link);
        symlink(found, &link).unwrap();
    }
    folder
}

fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// objcopy for the target: the one in OBJCOPY, or the one that belongs to the compiler.
fn objcopy(flags: &cc::Build) -> Option<PathBuf> {
    let named = env::var_os("OBJCOPY").map(PathBuf::from);
    let asked = || {
        let mut command = flags.get_compiler().to_command();
        let answer = command.arg("-print-prog-name=objcopy").output().ok()?;
        Some(PathBuf::from(String::from_utf8(answer.stdout).ok()?.trim()))
    };
    [named, asked(), Some(PathBuf::from("llvm-objcopy"))]
        .into_iter()
        .flatten()
        .find(|program| succeeds(Command::new(program).arg("--version")))
}

/// The compiler's own unwinder in an object, its names changed as CMakeLists.txt does; None, and a
/// warning, if the tools cannot do that. Then reports and profiles have no stacks.
fn make_unwinder(flags: &cc::Build, out: &Path) -> Option<PathBuf> {
    if target_env() == "musl" {
        return None;
    }
    let object = out.join("usermm_unwinder.o");
    let mut link = flags.get_compiler().to_command();
    link.args(["-nostdlib", "-r", "-Wl,-u,_Unwind_Backtrace", "-Wl,-u,_Unwind_Find_FDE"])
        .args(["-Wl,--wrap=_Unwind_Find_FDE", "-o"])
        .arg(&object)
        .args(["-lgcc_eh", "-lgcc"]);
    let made = succeeds(&mut link)
        && objcopy(flags).is_some_and(|program| {
            succeeds(Command::new(program).args(unwinder_names()).arg(&object))
        });
    if made {
        return Some(object);
    }
    println!("cargo::warning=usermm: no libgcc_eh or objcopy: reports will have no stacks");
    None
}

fn unwinder_names() -> Vec<String> {
    let renamed = [
        ("_Unwind_Backtrace", "usermm_unwind_backtrace"),
        ("_Unwind_GetIPInfo", "usermm_unwind_address"),
        ("_Unwind_Find_FDE", "usermm_unwind_find_table"),
        ("__wrap__Unwind_Find_FDE", "usermm_unwind_table"),
    ];
    let kept = [
        "_Unwind_Backtrace",
        "_Unwind_GetIPInfo",
        "_Unwind_Find_FDE",
        "__wrap__Unwind_Find_FDE",
        "usermm_unwind_backtrace",
        "usermm_unwind_find_table",
        "usermm_unwind_table",
        "usermm_unwind_address",
    ];
    let renamed = renamed.iter().map(|(from, to)| format!("--redefine-sym={from}={to}"));
    renamed.chain(kept.iter().map(|name| format!("--keep-global-symbol={name}"))).collect()
}

/// Makes one object of all, so that its constructors are linked whenever anything of it is. Hidden
/// names become local. API names become weak: where a program also has malloc's archive, its names
/// count.
fn join_objects(flags: &cc::Build, objects: &[PathBuf], out: &Path) -> PathBuf {
    let whole = out.join("usermm.o");
    let mut link = flags.get_compiler().to_command();
    link.args(["-nostdlib", "-r", "-o"]).arg(&whole).args(objects);
    match link.output() {
        Ok(done) if done.status.success() => {}
        Ok(done) => fail(&format!(
            "{link:?} fails: {}",
            String::from_utf8_lossy(&done.stderr).replace('\n', " ")
        )),
        Err(error) => fail(&format!("cannot run {link:?}: {error}")),
    }
    let Some(program) = objcopy(flags) else {
        println!(
            "cargo::warning=usermm: no objcopy: inner names of the library may clash with others'; \
             install binutils, or set OBJCOPY"
        );
        return whole;
    };
    // One hidden symbol becomes a weak one again, which the program's own probes share
    // (src/malloc/profile/probes.c).
    for arguments in [
        &["--localize-hidden", "--wildcard", "--weaken-symbol=usermm_*"][..],
        &["--globalize-symbol=_.stapsdt.base"],
        &["--weaken-symbol=_.stapsdt.base"],
    ] {
        let mut command = Command::new(&program);
        command.args(arguments).arg(&whole);
        if !succeeds(&mut command) {
            fail(&format!("{command:?} fails; set OBJCOPY to the objcopy for this target"));
        }
    }
    whole
}
