# verbund_builtin_files(text corpora builtin_manifests) compiles every YAML file of corpora/ into the library of
# src/text, as the list that builtin_manifests() returns.
if(CMAKE_SCRIPT_MODE_FILE)
  set(entries "")
  file(GLOB files ${SOURCE}/*.yaml)
  foreach(file ${files})
    get_filename_component(name ${file} NAME_WLE)
    file(READ ${file} text)
    string(APPEND entries "    {\"${name}\", R\"yaml(${text})yaml\"},\n")
  endforeach()
  file(WRITE ${OUTPUT} "#include <span>\n\n#include \"core/builtin_file.h\"\n\nnamespace verbund {\n"
       "std::span<const BuiltinFile> ${NAME}();\n"
       "std::span<const BuiltinFile> ${NAME}() {\n"
       "  static constexpr BuiltinFile kFiles[] = {\n${entries}  };\n  return kFiles;\n}\n}\n")
  return()
endif()

function(verbund_builtin_files library folder name)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.yaml)
  set(output ${CMAKE_BINARY_DIR}/generated/${name}.cpp)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR}/${folder} -DNAME=${name} -DOUTPUT=${output}
            -P ${CMAKE_SOURCE_DIR}/cmake/builtin_files.cmake
    DEPENDS ${files} ${CMAKE_SOURCE_DIR}/cmake/builtin_files.cmake)
  target_sources(verbund_${library} PRIVATE ${output})
endfunction()

verbund_builtin_files(config configs builtin_presets)
verbund_builtin_files(text corpora builtin_manifests)
