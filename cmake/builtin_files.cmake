# SPDX-License-Identifier: Apache-2.0
# verbund_builtin_files(fetch corpora builtin_manifests) compiles every YAML file of corpora/ into the library of
# src/fetch, as the list that builtin_manifests() returns. Other patterns than *.yaml may follow; files of several
# kinds have their endings in their names. A folder outside the source tree is given as an absolute path.
if(CMAKE_SCRIPT_MODE_FILE)
  set(entries "")
  string(REPLACE "," ";" patterns ${PATTERNS})
  list(LENGTH patterns kinds)
  list(TRANSFORM patterns PREPEND ${SOURCE}/)
  file(GLOB files ${patterns})
  foreach(file ${files})
    if(kinds GREATER 1)
      get_filename_component(name ${file} NAME)
    else()
      get_filename_component(name ${file} NAME_WLE)
    endif()
    file(READ ${file} text)
    string(APPEND entries "    {\"${name}\", R\"file(${text})file\"},\n")
  endforeach()
  file(WRITE ${OUTPUT} "#include <span>\n\n#include \"core/builtin_file.h\"\n\nnamespace verbund {\n"
       "std::span<const BuiltinFile> ${NAME}();\n"
       "std::span<const BuiltinFile> ${NAME}() {\n"
       "  static constexpr BuiltinFile kFiles[] = {\n${entries}  };\n  return kFiles;\n}\n}\n")
  return()
endif()

function(verbund_builtin_files library folder name)
  set(patterns ${ARGN})
  if(NOT patterns)
    set(patterns *.yaml)
  endif()
  string(REPLACE ";" "," list "${patterns}")
  cmake_path(ABSOLUTE_PATH folder BASE_DIRECTORY ${CMAKE_SOURCE_DIR})
  list(TRANSFORM patterns PREPEND ${folder}/)
  file(GLOB files CONFIGURE_DEPENDS ${patterns})
  set(output ${CMAKE_BINARY_DIR}/generated/${name}.cpp)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${folder} -DPATTERNS=${list} -DNAME=${name} -DOUTPUT=${output}
            -P ${CMAKE_SOURCE_DIR}/cmake/builtin_files.cmake
    VERBATIM
    DEPENDS ${files} ${CMAKE_SOURCE_DIR}/cmake/builtin_files.cmake)
  target_sources(verbund_${library} PRIVATE ${output})
endfunction()

verbund_builtin_files(config configs builtin_presets)
verbund_builtin_files(migrate src/migrate builtin_python *.py)
verbund_builtin_files(fetch corpora builtin_manifests)
verbund_builtin_files(demo corpora/demo builtin_demo_files *.txt)
verbund_builtin_files(page src/page builtin_styles *.css)
verbund_builtin_files(cuda src/cuda/kernels builtin_kernels *.cu *.cuh *.h)
verbund_builtin_files(board src/board/web builtin_web_files *.html *.css *.js)
verbund_builtin_files(board ${VERBUND_DYGRAPHS} builtin_dygraphs dygraph.min.js dygraph.min.css)
