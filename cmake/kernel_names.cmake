# SPDX-License-Identifier: MIT
#
# The names of libusermm_kernel.a, which a module is linked with:
#
#	cmake -DOBJECT=FILE -DOBJCOPY=PROGRAM -DREADELF=PROGRAM -DSCRIPT=FILE -P kernel_names.cmake
#
# A module calls directly what the library has, as a module of Linux calls the kernel, and may
# have functions of the same names for itself. So in the object every public name becomes
# usermm.NAME, for its own calls too, and the linker's script offers NAME to modules that do not
# define it. What is hidden becomes local; but the image of per-CPU variables is one for all.
cmake_minimum_required(VERSION 3.20)
execute_process(COMMAND ${READELF} --symbols --wide ${OBJECT}
	OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+ (GLOBAL|WEAK) +DEFAULT +[0-9]+ [^\n ]+" lines "${symbols}")

set(kept main usermm_percpu_image)
set(renamed "")
set(provided "")
foreach(line IN LISTS lines)
	string(REGEX REPLACE ".* " "" name "${line}")
	if(name IN_LIST kept)
		continue()
	endif()
	string(APPEND renamed "${name} usermm.${name}\n")
	string(APPEND provided "PROVIDE(${name} = usermm.${name});\n")
	list(APPEND kept usermm.${name})
endforeach()
list(JOIN kept "\n" kept)
# What it needs of libc keeps its name: a module that has one of these is linked with the library.
string(REGEX MATCHALL "[^\n]+ (GLOBAL|WEAK) +DEFAULT +UND [^\n ]+" lines "${symbols}")
foreach(line IN LISTS lines)
	string(REGEX REPLACE ".* " "" name "${line}")
	string(APPEND provided "/* libc: ${name} */\n")
endforeach()
file(WRITE ${OBJECT}.renamed "${renamed}")
file(WRITE ${OBJECT}.kept "${kept}\n")
file(WRITE ${SCRIPT} "/* Made with libusermm_kernel.a: what it offers to modules. */\n${provided}")
# Code in a section of its own is told from the module's by its address. Compilers have many
# names for parts of the code: clang's `.text.unlikely.` ends with a dot.
execute_process(COMMAND ${READELF} --sections --wide ${OBJECT}
	OUTPUT_VARIABLE table COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " \\.text[^ ]* +PROGBITS" code "${table}")
list(REMOVE_DUPLICATES code)
set(sections "")
foreach(line IN LISTS code)
	string(REGEX REPLACE "^ ([^ ]+) .*" "\\1" section "${line}")
	list(APPEND sections --rename-section ${section}=usermm_text)
endforeach()
execute_process(COMMAND ${OBJCOPY} --redefine-syms=${OBJECT}.renamed ${sections} ${OBJECT}
	COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${OBJCOPY} --keep-global-symbols=${OBJECT}.kept ${OBJECT}
	COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE ${OBJECT}.renamed ${OBJECT}.kept)
