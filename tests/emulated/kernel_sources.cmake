# SPDX-License-Identifier: Apache-2.0
# Run as a script: writes a C++ file with the text of every file in SOURCE to OUTPUT, as image.h declares it.
file(GLOB files ${SOURCE}/*.cu ${SOURCE}/*.cuh ${SOURCE}/*.h)
set(entries "")
foreach(file ${files})
  get_filename_component(name ${file} NAME)
  file(READ ${file} text)
  string(APPEND entries "    {\"${name}\", R\"kernel(${text})kernel\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"emulated/image.h\"\n\nnamespace emulated {\n"
     "std::span<const KernelSource> kernel_sources() {\n  static constexpr KernelSource kSources[] = {\n${entries}  };\n"
     "  return kSources;\n}\n}\n")
