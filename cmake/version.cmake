# Generates version.h with the commit and the versions of the parts. The commit is asked
# for at every build, and the file changes only when the answer does.
if(CMAKE_SCRIPT_MODE_FILE)
  execute_process(COMMAND git describe --always --dirty --abbrev=10 WORKING_DIRECTORY ${SOURCE}
                  OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT COMMIT)
    set(COMMIT unknown)
  endif()
  configure_file(${SOURCE}/cmake/version.h.in ${OUTPUT} @ONLY)
  return()
endif()

set(version_header ${CMAKE_BINARY_DIR}/generated/version.h)
add_custom_target(generate_version BYPRODUCTS ${version_header}
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DOUTPUT=${version_header}
          -DVERSION=${PROJECT_VERSION} -DTORCH=${torch_VERSION} -DMPI=${openmpi_VERSION}
          -DSENTENCEPIECE=${sentencepiece_VERSION}
          -P ${CMAKE_SOURCE_DIR}/cmake/version.cmake
  COMMENT "")
add_library(verbund_version INTERFACE)
add_dependencies(verbund_version generate_version)
target_include_directories(verbund_version INTERFACE ${CMAKE_BINARY_DIR}/generated)
