# SPDX-License-Identifier: Apache-2.0
# Everything the program is built from, and what its tests need; scripts/setup.sh [--tests] installs it on Debian.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(CURL REQUIRED)
find_package(LibArchive REQUIRED)
find_package(OpenSSL REQUIRED)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(expat REQUIRED IMPORTED_TARGET expat)
pkg_check_modules(lzma REQUIRED IMPORTED_TARGET liblzma)
pkg_check_modules(httplib REQUIRED IMPORTED_TARGET cpp-httplib)
pkg_check_modules(icu REQUIRED IMPORTED_TARGET icu-uc)
pkg_check_modules(sentencepiece REQUIRED IMPORTED_TARGET sentencepiece)
# The charts of the live page, which are compiled in: Debian's libjs-dygraphs.
find_path(VERBUND_DYGRAPHS dygraph.min.js PATHS /usr/share/javascript/dygraphs REQUIRED)

# What training is built on.
find_package(OpenMP REQUIRED)
pkg_check_modules(openmpi REQUIRED IMPORTED_TARGET ompi)

if(VERBUND_BUILD_TESTS)
  find_package(GTest REQUIRED)
  find_package(Torch REQUIRED)  # for tests/reference alone, which the fused path is tested against
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
endif()
