// SPDX-License-Identifier: Apache-2.0
// The functions that GCC's instrumentation calls: -fsanitize=thread before each access of memory, -fsanitize=alignment
// where a pointer does not fit its type. In the place of the sanitizers' own runtimes, which know nothing of GPUs.
#include <cstddef>
#include <cstdint>

#include "emulated/race_checker.h"

using emulated::RaceChecker;

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

#define ACCESS(bytes)                                                                              \
  void __tsan_read##bytes(void* address) { RaceChecker::access(address, bytes, false); }           \
  void __tsan_write##bytes(void* address) { RaceChecker::access(address, bytes, true); }           \
  void __tsan_unaligned_read##bytes(void* address) { RaceChecker::access(address, bytes, false); } \
  void __tsan_unaligned_write##bytes(void* address) { RaceChecker::access(address, bytes, true); } \
  void __tsan_volatile_read##bytes(void* address) { RaceChecker::access(address, bytes, false); }  \
  void __tsan_volatile_write##bytes(void* address) { RaceChecker::access(address, bytes, true); }
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)
#undef ACCESS

void __tsan_read_range(void* address, size_t bytes) { RaceChecker::access(address, bytes, false); }
void __tsan_write_range(void* address, size_t bytes) { RaceChecker::access(address, bytes, true); }

// As libubsan declares them.
struct SourcePlace {
  const char* file;
  uint32_t line, column;
};
struct TypeName {
  uint16_t kind, info;
  char name[1];
};
struct TypeMismatch {
  SourcePlace place;
  const TypeName* type;
  unsigned char log_alignment, kind;
};
void __ubsan_handle_type_mismatch_v1(TypeMismatch* mismatch, uintptr_t address) {
  RaceChecker::misaligned(reinterpret_cast<const void*>(address), size_t{1} << mismatch->log_alignment,
                          mismatch->type->name, mismatch->place.file, mismatch->place.line);
}
}
