# Generates the source that holds every manifest of corpora/ as a string.
if(CMAKE_SCRIPT_MODE_FILE)
  set(entries "")
  file(GLOB manifests ${SOURCE}/corpora/*.yaml)
  foreach(manifest ${manifests})
    get_filename_component(name ${manifest} NAME_WE)
    file(READ ${manifest} text)
    string(APPEND entries "    {\"${name}\", R\"yaml(${text})yaml\"},\n")
  endforeach()
  file(WRITE ${OUTPUT} "#include \"text/builtin_manifests.h\"\n\nnamespace verbund {\n"
       "std::span<const BuiltinManifest> builtin_manifests() {\n"
       "  static constexpr BuiltinManifest kManifests[] = {\n${entries}  };\n  return kManifests;\n}\n}\n")
  return()
endif()

file(GLOB manifests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/corpora/*.yaml)
set(builtin_manifests ${CMAKE_BINARY_DIR}/generated/builtin_manifests.cpp)
add_custom_command(OUTPUT ${builtin_manifests}
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DOUTPUT=${builtin_manifests}
          -P ${CMAKE_SOURCE_DIR}/cmake/builtin_manifests.cmake
  DEPENDS ${manifests} ${CMAKE_SOURCE_DIR}/cmake/builtin_manifests.cmake)
target_sources(verbund_text PRIVATE ${builtin_manifests})
