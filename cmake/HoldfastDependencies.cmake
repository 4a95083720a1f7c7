# Nothing is fetched while building: the program needs only libc, libstdc++ and its own code.

# elfutils: only its headers, if they are installed. The library is opened at run time when the source
# lines of a native stack are wanted; without it frames have names but no lines.
find_path(HOLDFAST_ELFUTILS_INCLUDE elfutils/libdwfl.h)
if(HOLDFAST_ELFUTILS_INCLUDE)
  set(HOLDFAST_HAVE_ELFUTILS ON)
else()
  set(HOLDFAST_HAVE_ELFUTILS OFF)
  message(STATUS "elfutils headers not found: native stacks will have no source lines")
endif()
mark_as_advanced(HOLDFAST_ELFUTILS_INCLUDE)

if(HOLDFAST_TESTS)
  find_package(GTest 1.12)
  if(GTest_FOUND)
    include(GoogleTest)
  else()
    message(STATUS "GoogleTest not found: the unit tests are not built (Debian: libgtest-dev)")
    set(HOLDFAST_TESTS OFF)
  endif()
endif()
