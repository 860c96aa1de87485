# Two commands do everything on a fresh machine:
#   make demo    sets up, builds, and does the main job on a corpus that the program makes itself
#   make test    sets up, builds, and runs every test that needs nothing but Debian's packages
.PHONY: help build demo test test-oracle test-asan test-tsan bench format lint setup clean

JOBS ?= $(shell nproc)

help:
	@sed -n 's/^#   //p' Makefile; echo "Also: build, test-oracle, test-asan, test-tsan, bench, format, lint, clean"

setup:
	@scripts/setup.sh

build: setup
	@test -f build/build.ninja || cmake --preset release > build.log 2>&1 || { cat build.log; rm -f build.log; exit 1; }
	@rm -f build.log
	@cmake --build --preset release --parallel $(JOBS) --target $(or $(TARGET),verbund)

demo: build
	scripts/demo.sh

test: TARGET = all
test: build
	ctest --preset release

# Against other people's programs (sacreBLEU, ...), installed into .venv.
test-oracle: TARGET = all
test-oracle: build
	scripts/oracles.sh
	ctest --preset oracle

test-asan test-tsan: test-%: setup
	cmake --preset $* > /dev/null
	cmake --build --preset $* --parallel $(JOBS)
	ctest --preset $*

bench: build
	scripts/bench.sh

sources = $(shell git ls-files 'src/*.h' 'src/*.cpp' 'tests/*.h' 'tests/*.cpp' 'bench/*.h' 'bench/*.cpp')

format:
	@command -v clang-format > /dev/null || { echo "make format needs clang-format: apt-get install clang-format"; exit 1; }
	clang-format -i $(sources)

lint: build
	@command -v clang-tidy > /dev/null || { echo "make lint needs clang-tidy: apt-get install clang-tidy"; exit 1; }
	clang-format --dry-run --Werror $(sources)
	scripts/lint.sh

clean:
	rm -rf build build-debug build-asan build-tsan
