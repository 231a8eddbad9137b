// SPDX-License-Identifier: MIT
//! Compiles the C sources in c/ as CMakeLists.txt does, by the crate cc, into one object:
//!
//!   core     all layers below malloc, and what only archives have (os/keep_loaded.c)
//!   malloc   the layer malloc without what takes libc's place (interpose/), and what needs it: its
//!            functions get the names of usermm/malloc.h, so that malloc() stays libc's
//!   unwinder the compiler's own, under names of ours, for stacks in reports (not on musl)
//!
//! Names of the object that are not API become local, so that they clash with no other library's.
//! That takes `objcopy`, which comes with every gcc, and with clang where clang uses GNU's tools.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::fail;

/// The functions of libc that the layer malloc defines, and their names here
/// (cf. cmake/api_malloc.cmake).
const MALLOC_NAMES: &[(&str, &str)] = &[
    ("malloc", "usermm_malloc"),
    ("calloc", "usermm_calloc"),
    ("realloc", "usermm_realloc"),
    ("reallocarray", "usermm_reallocarray"),
    ("free", "usermm_free"),
    ("free_sized", "usermm_free_sized"),
    ("free_aligned_sized", "usermm_free_aligned_sized"),
    ("memalign", "usermm_memalign"),
    ("aligned_alloc", "usermm_aligned_alloc"),
    ("posix_memalign", "usermm_posix_memalign"),
    ("valloc", "usermm_valloc"),
    ("pvalloc", "usermm_pvalloc"),
    ("memalignment", "usermm_memalignment"),
    ("malloc_usable_size", "usermm_usable_size"),
    ("malloc_trim", "usermm_malloc_trim"),
];
/// Hot functions are linked in this order: the page that they fill begins with free().
const HOT_SOURCES: &[&str] = &["free.c", "malloc_slow.c", "malloc.c", "realloc.c"];
/// These files outside of the layer malloc need it.
const WITH_MALLOC: &[&str] = &["api/control.c"];
/// What is for a program's malloc alone: jemalloc's names, a name by which linkers find malloc, and
/// the process's family (malloc/family.h).
const LEFT_OUT: &[&str] = &["api/mallctl.c", "malloc/linked.c", "malloc/family.c"];

struct Sources {
    root: PathBuf,
    core: Vec<PathBuf>,
    malloc: Vec<PathBuf>,
}

pub fn compile() {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap());
    let sources = find_sources(&here.join("c"));
    let flags = common_flags(&sources.root, &out);
    println!("cargo::rerun-if-changed={}", sources.root.join("src").display());
    println!("cargo::rerun-if-changed={}", sources.root.join("include/usermm").display());
    println!("cargo::rerun-if-env-changed=OBJCOPY");
    println!("cargo::metadata=include={}", sources.root.join("include").display());

    let unwinder = make_unwinder(&flags, &out);
    let mut objects = compile_malloc(&flags, &sources, unwinder.is_some());
    objects.extend(compile_core(&flags, &sources, unwinder.is_some()));
    objects.extend(unwinder);
    flags.clone().object(join_objects(&flags, &objects, &out)).compile("usermm");
}

fn find_sources(root: &Path) -> Sources {
    let src = root.join("src");
    let mut all = Vec::new();
    collect(&src, &mut all);
    if all.is_empty() {
        fail(&format!(
            "{} has no C sources; if the repository was checked out without symbolic links, \
             run git config core.symlinks true, and check it out again",
            src.display()
        ));
    }
    all.retain(|path| !LEFT_OUT.iter().any(|name| path.ends_with(name)));
    let layer = src.join("malloc");
    all.retain(|path| !path.starts_with(layer.join("interpose")));
    let (mut malloc, core): (Vec<_>, Vec<_>) = all.into_iter().partition(|path| {
        path.starts_with(&layer) || WITH_MALLOC.iter().any(|name| path.ends_with(name))
    });
    malloc.sort_by_key(|path| {
        let hot = HOT_SOURCES.iter().position(|name| *path == layer.join(name));
        (hot.unwrap_or(HOT_SOURCES.len()), path.clone())
    });
    Sources { root: root.to_path_buf(), core, malloc }
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension() == Some(OsStr::new("c")) {
            found.push(path);
        }
    }
}

/// What all files are compiled with (cf. cmake/flags.cmake). Sequences want -O2 in every profile.
fn common_flags(root: &Path, out: &Path) -> cc::Build {
    let version = library_version(root);
    let mut build = cc::Build::new();
    build
        .include(root.join("src"))
        .include(root.join("include"))
        .std("gnu17")
        .opt_level(2)
        .pic(true)
        .warnings(false)
        .force_frame_pointer(false)
        .flag("-fvisibility=hidden")
        .define("_GNU_SOURCE", "")
        .define("USERMM_DEBUG", if cfg!(feature = "assertions") { "1" } else { "0" })
        .define("USERMM_VERSION", format!("\"{version}\"").as_str())
        .define("USERMM_PRIVATE_PREFIX", format!("\"usermm_{version}_\"").as_str());
    if target_env() == "musl" && !finds_kernel_headers(&build) {
        build.flag("-idirafter").flag(kernel_headers(out));
    }
    build
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

fn compile_core(flags: &cc::Build, sources: &Sources, unwinder: bool) -> Vec<PathBuf> {
    let mut build = flags.clone();
    if unwinder {
        build.define("USERMM_UNWINDER", None);
    }
    compile_files(&build, &sources.core)
}

fn compile_malloc(flags: &cc::Build, sources: &Sources, unwinder: bool) -> Vec<PathBuf> {
    let mut build = flags.clone();
    build.define("USERMM_API_MALLOC", None);
    for (name, ours) in MALLOC_NAMES {
        build.define(name, *ours);
    }
    // A call must stay what it looks like.
    for name in ["malloc", "calloc", "realloc", "free"] {
        build.flag(format!("-fno-builtin-{name}"));
    }
    if unwinder {
        build.define("USERMM_UNWINDER", None);
    }
    let (first, others) = sources.malloc.split_at(1);
    let mut free = build.clone();
    // malloc/free.c says why. clang does not know the flag.
    if free.get_compiler().is_like_gnu() {
        free.flag("-falign-jumps=64:8");
    }
    let mut objects = compile_files(&free, first);
    objects.extend(compile_files(&build, others));
    objects
}

/// Compiles the files; those that need instructions of newer processors with these.
fn compile_files(build: &cc::Build, files: &[PathBuf]) -> Vec<PathBuf> {
    let (avx2, plain): (Vec<_>, Vec<_>) =
        files.iter().partition(|path| path.to_string_lossy().ends_with("_avx2.c"));
    let mut objects = build.clone().files(plain).compile_intermediates();
    if !avx2.is_empty() {
        let mut build = build.clone();
        if target_arch() == "x86_64" {
            build.flag("-mavx2").flag("-mlzcnt");
        }
        objects.extend(build.files(avx2).compile_intermediates());
    }
    objects
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
