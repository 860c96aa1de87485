// SPDX-License-Identifier: Apache-2.0
#include "core/bus_error.h"

#include <gtest/gtest.h>

#include <csignal>

#include "core/file.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::ExitedWithCode;
using ::testing::KilledBySignal;

char last_byte(const MappedFile& file) {
  const volatile char* bytes = file.bytes().data();
  return bytes[file.bytes().size() - 1];
}

// The largest part of a file goes while it is mapped.
TEST(BusErrorDeathTest, NamesTheFileThatWasCutShort) {
  const TemporaryFolder folder;
  const fs::path path = folder.write("train.ids", std::string(100000, 'x'));
  folder.write("other", "y");
  EXPECT_EXIT(
      {
        install_bus_error_handler();
        { const MappedFile gone(folder / "other"); }
        const MappedFile first(folder / "other");
        MappedFile mapped(path);
        const MappedFile moved = std::move(mapped);
        fs::resize_file(path, 10);
        last_byte(moved);
      },
      ExitedWithCode(1), "^verbund: .*train.ids .*\n$");
}

TEST(BusErrorDeathTest, AnyOtherIsAsEver) {
  EXPECT_EXIT(
      {
        install_bus_error_handler();
        std::raise(SIGBUS);
      },
      KilledBySignal(SIGBUS), "^$");
}

}  // namespace
}  // namespace verbund
