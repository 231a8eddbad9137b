# SPDX-License-Identifier: MIT
#
# Run by CPack on what was installed for the packages, before it makes packages of it.

# Packs files as Debian wants it, the same for the same content.
function(pack)
	execute_process(COMMAND gzip -9 --no-name --force ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# CMake takes the time from SOURCE_DATE_EPOCH.
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
	set(prefix ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}/usr)
	string(TOUPPER ${component} upper)
	set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})

	# Archives and objects keep their symbols, which the linker needs; lines are a debugger's,
	# and four fifths of the size.
	file(GLOB_RECURSE archives ${prefix}/*.a ${prefix}/*.o)
	foreach(archive IN LISTS archives)
		execute_process(COMMAND ${CPACK_USERMM_STRIP} --strip-debug
			--remove-section=.comment --enable-deterministic-archives ${archive}
			COMMAND_ERROR_IS_FATAL ANY)
	endforeach()

	# Debian's zsh has another folder for packages, and its man pages are packed.
	if(EXISTS ${prefix}/share/zsh/site-functions)
		file(RENAME ${prefix}/share/zsh/site-functions
			${prefix}/share/zsh/vendor-completions)
	endif()
	file(GLOB man_pages ${prefix}/share/man/man*/*)
	if(man_pages)
		pack(${man_pages})
	endif()

	# Debian wants to know of each release, and of each package's licences.
	set(documents ${prefix}/share/doc/${package})
	file(MAKE_DIRECTORY ${documents})
	file(COPY_FILE ${CPACK_USERMM_COPYRIGHT} ${documents}/copyright)
	file(WRITE ${documents}/changelog
		"${CPACK_PACKAGE_NAME} (${CPACK_PACKAGE_VERSION}) unstable; "
		"urgency=medium\n\n  * Release ${CPACK_PACKAGE_VERSION}.\n\n"
		" -- ${CPACK_PACKAGE_CONTACT}  ${now}\n")
	pack(${documents}/changelog)

	# Which of lintian's words are no faults here, and why.
	if(EXISTS ${CPACK_USERMM_OVERRIDES}/${package})
		file(MAKE_DIRECTORY ${prefix}/share/lintian/overrides)
		file(COPY_FILE ${CPACK_USERMM_OVERRIDES}/${package}
			${prefix}/share/lintian/overrides/${package})
	endif()
endforeach()
