# The JupyterLab extension of a wheel: taken as it is if it was built before, as in a source distribution;
# else built with npm. A wheel without it is a wheel all the same: nothing here fails.

set(HOLDFAST_LAB_SECONDS 900) # for npm's downloads and the build

# Sets OUT to its folder, or to nothing.
function(holdfast_lab_extension source out)
  set(folder ${source}/python/holdfast/labextension)
  set(${out} "" PARENT_SCOPE)
  if(EXISTS ${folder}/package.json)
    set(${out} ${folder} PARENT_SCOPE)
    return()
  endif()
  set(ways "`make lab-build` makes it (Node.js 20 and npm)")
  if(NOT HOLDFAST_LAB)
    message(STATUS "No JupyterLab extension in this wheel: HOLDFAST_LAB is off; ${ways}")
    return()
  endif()
  # Without npm nothing is tried, and nothing fetched.
  find_program(npm npm NO_CACHE)
  find_program(bash bash NO_CACHE)
  if(NOT npm OR NOT bash)
    message(STATUS "No JupyterLab extension in this wheel: npm is not installed; ${ways}")
    return()
  endif()
  message(STATUS "Building the JupyterLab extension with npm")
  execute_process(COMMAND ${bash} ${source}/tools/lab bundle WORKING_DIRECTORY ${source}
                  TIMEOUT ${HOLDFAST_LAB_SECONDS} RESULT_VARIABLE failed
                  OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(failed STREQUAL "0" AND EXISTS ${folder}/package.json)
    set(${out} ${folder} PARENT_SCOPE)
    return()
  endif()
  file(REMOVE_RECURSE ${folder}) # half a bundle would be shipped the next time
  # The reason is at the end.
  string(LENGTH "${said}" length)
  if(length GREATER 2000)
    math(EXPR begin "${length} - 2000")
    string(SUBSTRING "${said}" ${begin} -1 said)
  endif()
  message(WARNING "No JupyterLab extension in this wheel, everything else is in it. "
                  "`tools/lab bundle` ended with ${failed}; ${ways}:\n${said}")
endfunction()
