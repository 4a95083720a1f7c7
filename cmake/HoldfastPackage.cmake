# The .deb: `make deb`. It holds what `cmake --install` puts below /usr; debian.cmake adds what Debian
# requires besides.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME holdfast)
set(CPACK_PACKAGE_VENDOR "The Holdfast contributors")
set(HOLDFAST_CONTACT "The Holdfast contributors <maintainers@holdfast.example>" CACHE STRING
    "Who answers for the package")
set(CPACK_PACKAGE_CONTACT ${HOLDFAST_CONTACT})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "keeps a training process alive and says why it died")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian.cmake)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Needed only for source lines of native frames.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS libdw1)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "Runs a training program under supervision, records a black box that
outlives it, and says afterwards why it died, at which line, and what
to do: out of memory, segmentation faults, deadlocks, NaN losses and
seventy more causes.
.
The Python package (holdfast.fit, holdfast.Loader, the extension for
JupyterLab) is in the wheel, not here.")

include(CPack)
