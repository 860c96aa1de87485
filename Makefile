# SPDX-License-Identifier: Apache-2.0
# Two commands do everything on a fresh machine:
#   make demo    sets up what the program needs, builds it, and does the main job on a corpus that the program makes itself
#   make test    sets up what the tests need as well, builds them, and runs the tests of every part
# Before a release there is a third:
#   make test-all  the long matrices, the race checker and the address sanitizer as well; needs nothing but Debian's packages
# With NVIDIA's GPUs there is one more:
#   make test-gpu  on a machine with NVIDIA's GPUs: builds, runs every check on them, prints a block to paste into an issue
.PHONY: help build build-tests build-checked build-package install deb demo test test-all test-rest test-oracle test-races test-asan test-tsan test-gpu bench format lint setup setup-tests clean

JOBS ?= $(shell nproc)

help:
	@sed -n 's/^#   //p' Makefile; echo "Also: build, install, deb, test-rest, test-oracle, test-races, test-asan, test-tsan, test-gpu, bench, format, lint, clean"

# `make build` needs less than `make test`, and both use one folder: once the tests are part of it, they stay.
setup:
	@scripts/setup.sh

setup-tests:
	@scripts/setup.sh --tests

quietly = > build.log 2>&1 || { cat build.log; rm -f build.log; exit 1; }; rm -f build.log

build: setup
	@test -f build/build.ninja || { cmake --preset program $(quietly); }
	@cmake --build --preset program --parallel $(JOBS) --target verbund

build-tests: setup-tests
	@grep -qs '^VERBUND_BUILD_TESTS:BOOL=ON' build/CMakeCache.txt && test -f build/build.ninja || { cmake --preset release $(quietly); }
	@cmake --build --preset release --parallel $(JOBS)

# Python makes the manual pages; CMake looks for it again.
build-package:
	@scripts/setup.sh --package
	@cmake --preset program $(quietly)
	@cmake --build --preset program --parallel $(JOBS) --target verbund manual

# make install PREFIX=/opt/verbund
install: build-package
	cmake --install build --strip --prefix $(or $(PREFIX),/usr/local)

# build/verbund_VERSION_ARCHITECTURE.deb, for: apt install ./verbund_*.deb
deb: build-package
	rm -f build/verbund_*.deb
	cd build && cpack
	@if command -v lintian > /dev/null; then lintian --fail-on error build/verbund_*.deb; \
	else echo "not checked by lintian, which is not installed"; fi

demo: build
	scripts/demo.sh

test: build-tests
	ctest --preset release

test-all: test
	@$(MAKE) test-rest

# What `make test-all` has beyond `make test`.
test-rest: build-checked
	ctest --preset long
	ctest --preset races
	@$(MAKE) test-asan

# The emulated GPU that finds races takes long to compile; `make test` does without it.
build-checked: build-tests
	@cmake --build --preset release --parallel $(JOBS) --target emulated_gpu_checked

# Against other people's programs (sacreBLEU, ...), installed into .venv.
test-oracle: build-tests
	scripts/oracles.sh
	ctest --preset oracle

# Every kernel once more with all its accesses of memory checked for races: some minutes.
test-races: build-checked
	ctest --preset races

test-asan test-tsan: test-%: setup-tests
	cmake --preset $* > /dev/null
	cmake --build --preset $* --parallel $(JOBS)
	ctest --preset $*

# On the GPUs of this machine; VERBUND_TEST_DEVICE=emulated: on the one that the tests have.
test-gpu: setup-tests
	@grep -qs '^VERBUND_BUILD_TESTS:BOOL=ON' build/CMakeCache.txt && test -f build/build.ninja || { cmake --preset release $(quietly); }
	@cmake --build --preset release --parallel $(JOBS) --target verbund gpu_test emulated_gpu bench_step
	@scripts/test-gpu.sh

bench: setup-tests
	@grep -qs '^VERBUND_BUILD_TESTS:BOOL=ON' build/CMakeCache.txt && test -f build/build.ninja || { cmake --preset release $(quietly); }
	@cmake --build --preset program --parallel $(JOBS) --target verbund
	scripts/bench.sh

sources = $(shell git ls-files 'src/*.h' 'src/*.cpp' 'tests/*.h' 'tests/*.cpp' 'bench/*.h' 'bench/*.cpp' 2> /dev/null || find src tests bench -name '*.h' -o -name '*.cpp')

format:
	@command -v clang-format > /dev/null || { echo "make format needs clang-format: apt-get install clang-format"; exit 1; }
	@clang-format -i $(sources)

lint: build-tests
	@command -v clang-tidy > /dev/null || { echo "make lint needs clang-tidy: apt-get install clang-tidy"; exit 1; }
	@clang-format --dry-run --Werror $(sources)
	scripts/lint.sh

clean:
	rm -rf build build-debug build-asan build-tsan
