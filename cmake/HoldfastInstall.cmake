# Where `cmake --install` and `pip install` put things: the program, its man page, its completions, and
# in a wheel the JupyterLab extension.

if(SKBUILD)
  # In a wheel the same things go below the environment's prefix instead of CMAKE_INSTALL_PREFIX.
  set(bin ${SKBUILD_SCRIPTS_DIR})
  # Not lib: `pip install --target` drops a wheel's lib/.
  set(libexec ${SKBUILD_DATA_DIR}/libexec)
  set(share ${SKBUILD_DATA_DIR}/share)
  set(man ${SKBUILD_DATA_DIR}/share/man)
else()
  set(bin ${CMAKE_INSTALL_BINDIR})
  set(libexec libexec)
  set(share ${CMAKE_INSTALL_DATADIR})
  set(man ${CMAKE_INSTALL_MANDIR})
endif()

install(TARGETS holdfast RUNTIME DESTINATION ${bin})
# The program looks for it in ../libexec/holdfast, whatever a distribution calls its own folder.
install(TARGETS holdfast_agent LIBRARY DESTINATION ${libexec}/holdfast)
# The package looks for it beside the agent; the libraries inside it need their licences with them.
install(TARGETS holdfast_loader_shared LIBRARY DESTINATION ${libexec}/holdfast)
install(FILES loader/LICENSES.md DESTINATION ${share}/doc/holdfast RENAME loader-licenses.md)
install(FILES man/holdfast.1 DESTINATION ${man}/man1)
install(FILES completions/holdfast.bash DESTINATION ${share}/bash-completion/completions
        RENAME holdfast)
install(FILES completions/_holdfast DESTINATION ${share}/zsh/site-functions)
install(FILES completions/holdfast.fish DESTINATION ${share}/fish/vendor_completions.d)

if(SKBUILD)
  include(HoldfastSbom)
  if(HOLDFAST_CODECS)
    set(codecs JPEG ${HOLDFAST_JPEG_INCLUDE} ZLIB ${HOLDFAST_ZLIB_INCLUDE})
  endif()
  holdfast_write_sbom(OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/holdfast.cdx.json ${codecs})
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/holdfast.cdx.json DESTINATION ${SKBUILD_METADATA_DIR}/sboms)
  # Jupyter finds both below the environment's prefix; the server part is a module of the package.
  install(FILES python/jupyter-config/holdfast.json
          DESTINATION ${SKBUILD_DATA_DIR}/etc/jupyter/jupyter_server_config.d)
  include(HoldfastLabExtension)
  holdfast_lab_extension(${CMAKE_SOURCE_DIR} labextension)
  if(labextension)
    install(DIRECTORY ${labextension}/ DESTINATION ${share}/jupyter/labextensions/holdfast-lab)
  endif()
endif()
