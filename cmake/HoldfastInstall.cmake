# What `cmake --install` and `pip install` put where: the program, its man page, its completions.

if(SKBUILD)
  # In a wheel the same things go below the environment's prefix instead of CMAKE_INSTALL_PREFIX.
  set(bin ${SKBUILD_SCRIPTS_DIR})
  set(lib ${SKBUILD_DATA_DIR}/lib)
  set(share ${SKBUILD_DATA_DIR}/share)
  set(man ${SKBUILD_DATA_DIR}/share/man)
else()
  set(bin ${CMAKE_INSTALL_BINDIR})
  set(lib lib)
  set(share ${CMAKE_INSTALL_DATADIR})
  set(man ${CMAKE_INSTALL_MANDIR})
endif()

install(TARGETS holdfast RUNTIME DESTINATION ${bin})
# The program looks for it in ../lib/holdfast, on every distribution, whatever their library folder.
install(TARGETS holdfast_agent LIBRARY DESTINATION ${lib}/holdfast)
install(FILES man/holdfast.1 DESTINATION ${man}/man1)
install(FILES completions/holdfast.bash DESTINATION ${share}/bash-completion/completions
        RENAME holdfast)
install(FILES completions/_holdfast DESTINATION ${share}/zsh/site-functions)
install(FILES completions/holdfast.fish DESTINATION ${share}/fish/vendor_completions.d)
