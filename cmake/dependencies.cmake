# Everything Verbund is built from; scripts/setup.sh installs it on Debian.
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
find_package(GTest REQUIRED)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(lzma REQUIRED IMPORTED_TARGET liblzma)
pkg_check_modules(icu REQUIRED IMPORTED_TARGET icu-uc)
pkg_check_modules(sentencepiece REQUIRED IMPORTED_TARGET sentencepiece)

# What training is built on. Nothing links against it yet; `verbund --version` names it.
pkg_check_modules(openblas REQUIRED openblas)
pkg_check_modules(openmpi REQUIRED ompi)
find_path(torch_cmake TorchConfigVersion.cmake PATH_SUFFIXES
          lib/${CMAKE_LIBRARY_ARCHITECTURE}/cmake/Torch lib/cmake/Torch share/cmake/Torch REQUIRED)
include(${torch_cmake}/TorchConfigVersion.cmake)
set(torch_VERSION ${PACKAGE_VERSION})
