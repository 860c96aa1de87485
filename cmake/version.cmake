# SPDX-License-Identifier: Apache-2.0
# Generates version.h with the commit, the versions of what is linked and the kernels. The commit is
# asked for at every build, and the file changes only when the answer does.
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
set(parts "cpp-httplib ${httplib_VERSION}, expat ${expat_VERSION}, fmt ${fmt_VERSION}, ICU ${icu_VERSION}, libarchive ${LibArchive_VERSION}, "
          "libcurl ${CURL_VERSION_STRING},\\n  liblzma ${lzma_VERSION}, Open MPI ${openmpi_VERSION}, "
          "OpenSSL ${OPENSSL_VERSION}, SentencePiece ${sentencepiece_VERSION}, xxHash ${xxhash_VERSION},\\n  "
          "yaml-cpp ${yaml-cpp_VERSION}, zlib ${ZLIB_VERSION_STRING}")
list(JOIN parts "" parts)
get_property(kernel_sets GLOBAL PROPERTY verbund_kernel_sets)
list(JOIN kernel_sets ", " kernel_sets)
add_custom_target(generate_version BYPRODUCTS ${version_header}
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DOUTPUT=${version_header} -DVERSION=${PROJECT_VERSION}
          "-DPARTS=${parts}" "-DKERNEL_SETS=${kernel_sets}" -P ${CMAKE_SOURCE_DIR}/cmake/version.cmake
  COMMENT "" VERBATIM)
add_library(verbund_version INTERFACE)
add_dependencies(verbund_version generate_version)
target_include_directories(verbund_version INTERFACE ${CMAKE_BINARY_DIR}/generated)
