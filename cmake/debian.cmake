# CPack runs this on the folder that it is about to pack, to add what Debian's policy requires besides
# the program.

file(GLOB root LIST_DIRECTORIES true ${CPACK_TEMPORARY_DIRECTORY}/usr)
if(NOT root)
  message(FATAL_ERROR "debian.cmake: nothing at ${CPACK_TEMPORARY_DIRECTORY}/usr")
endif()
set(doc ${root}/share/doc/holdfast)

# zsh looks for packages' completions in another folder than for an administrator's.
file(MAKE_DIRECTORY ${root}/share/zsh)
file(RENAME ${root}/share/zsh/site-functions ${root}/share/zsh/vendor-completions)

set(licences ${doc}/loader-licenses.md)
file(READ ${licences} loader)
file(REMOVE ${licences})
string(REGEX REPLACE "\n\n" "\n.\n" loader "${loader}")
string(REGEX REPLACE "\n" "\n " loader "${loader}")
file(WRITE ${doc}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: holdfast

Files: *
Copyright: The Holdfast contributors
License: Apache-2.0
 On Debian systems the whole text of this licence is in
 /usr/share/common-licenses/Apache-2.0.

Files: usr/libexec/holdfast/libholdfast_loader.so
Copyright: The Holdfast contributors, and those named below
License: Apache-2.0 and IJG and BSD-3-Clause and Zlib
 ${loader}
")

file(WRITE ${root}/share/lintian/overrides/holdfast
"# Decoders in a library of its own that runs inside other people's programs: theirs must not be touched.
holdfast: embedded-library libjpeg *
holdfast: embedded-library zlib *
# This package is not for Debian's archive.
holdfast: initial-upload-closes-no-bugs *
# CPack writes it for any library below /usr/lib; these are private, and the call does nothing.
holdfast: maintscript-calls-ldconfig *
")

# The date is that of the sources, so that two builds do not differ.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${doc}/changelog.Debian "holdfast (${CPACK_PACKAGE_VERSION}-1) unstable; urgency=medium

  * Release ${CPACK_PACKAGE_VERSION}; what changed is in CHANGELOG.md of the sources.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
foreach(file IN ITEMS ${doc}/changelog.Debian ${root}/share/man/man1/holdfast.1)
  execute_process(COMMAND gzip -9 --no-name --force ${file} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
# Otherwise modes come from the builder's umask.
file(GLOB_RECURSE files ${root}/libexec/holdfast/*.so ${root}/share/*)
file(CHMOD ${files} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
