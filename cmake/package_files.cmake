# SPDX-License-Identifier: MIT
#
# Run by CPack on what was installed for a package, before it makes the package of it.

# Archives and objects keep their symbols, which the linker needs; lines are a debugger's, and
# four fifths of the size.
file(GLOB_RECURSE archives ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*.a
	${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*.o)
foreach(archive IN LISTS archives)
	execute_process(COMMAND ${CPACK_USERMM_STRIP} --strip-debug --remove-section=.comment
		--enable-deterministic-archives ${archive} COMMAND_ERROR_IS_FATAL ANY)
endforeach()

# Debian's zsh has another folder for packages, and its man pages are packed.
set(shared ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share)
if(EXISTS ${shared}/zsh/site-functions)
	file(RENAME ${shared}/zsh/site-functions ${shared}/zsh/vendor-completions)
endif()
file(GLOB man_pages ${shared}/man/man*/*)
if(man_pages)
	execute_process(COMMAND gzip -9 --no-name --force ${man_pages} COMMAND_ERROR_IS_FATAL ANY)
endif()

# Debian wants to know of each release. CMake takes the time from SOURCE_DATE_EPOCH.
file(GLOB_RECURSE licence ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*/copyright)
cmake_path(GET licence PARENT_PATH documents)
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${documents}/changelog "${CPACK_PACKAGE_NAME} (${CPACK_PACKAGE_VERSION}) unstable; "
	"urgency=medium\n\n  * Release ${CPACK_PACKAGE_VERSION}.\n\n"
	" -- ${CPACK_PACKAGE_CONTACT}  ${now}\n")
execute_process(COMMAND gzip -9 --no-name --force ${documents}/changelog
	COMMAND_ERROR_IS_FATAL ANY)
