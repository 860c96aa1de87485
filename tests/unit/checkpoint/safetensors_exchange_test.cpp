// SPDX-License-Identifier: Apache-2.0
// The part of tests/oracle/safetensors_oracle_test.py that runs in this program: every file
// of a folder is read and written again, or the refusal is written down.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "checkpoint/safetensors.h"
#include "core/error.h"

namespace verbund {
namespace {

TEST(SafetensorsExchange, FilesAreWrittenAsTheyWereRead) {
  const char* folder = std::getenv("VERBUND_SAFETENSORS_EXCHANGE");
  if (folder == nullptr) GTEST_SKIP() << "run by tests/oracle/safetensors_oracle_test.py";
  int files = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(folder) / "in")) {
    const fs::path out = fs::path(folder) / "out" / entry.path().filename();
    try {
      const SafetensorsFile file(entry.path());
      write_safetensors(out, file.tensors(), file.metadata());
    } catch (const Error& error) {
      std::ofstream(out.string() + ".refused") << error.what();
    }
    ++files;
  }
  EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace verbund
