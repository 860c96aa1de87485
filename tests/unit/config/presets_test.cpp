// SPDX-License-Identifier: Apache-2.0
#include "config/config.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "config/show.h"
#include "core/error.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Names are looked for in the present folder.
class Presets : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::current_path(folder_.path()); }
  void TearDown() override { std::filesystem::current_path(before_); }

  std::filesystem::path before_ = std::filesystem::current_path();
  TemporaryFolder folder_;
};

TEST_F(Presets, EveryPresetIsAConfigurationWithASummary) {
  EXPECT_GE(builtin_presets().size(), 5u);
  for (const BuiltinFile& preset : builtin_presets()) {
    const std::string name(preset.name);
    const Config config = load_config(name, {});
    EXPECT_EQ(show(config), show(load_config(VERBUND_SOURCE_DIR "/configs/" + name + ".yaml", {})));
    EXPECT_GT(preset_summary(preset).size(), 20u) << name;
    EXPECT_THAT(preset_summary(preset), Not(HasSubstr("#")));
  }
}

TEST_F(Presets, AFileOfThatNameWins) {
  EXPECT_EQ(load_config("transformer-base", {}).seed, 1);
  EXPECT_THAT(find_config("transformer-base").note, HasSubstr("preset transformer-base "));
  folder_.write("transformer-base.yaml", "seed: 7\n");
  EXPECT_EQ(load_config("transformer-base", {}).seed, 7);
  EXPECT_THAT(find_config("transformer-base").note, HasSubstr("transformer-base.yaml"));
  folder_.write("transformer-base", "seed: 8\n");
  EXPECT_EQ(load_config("transformer-base", {}).seed, 8);
  folder_.write("mine.yaml", "seed: 9\n");
  EXPECT_EQ(load_config("mine.yaml", {}).seed, 9);
  EXPECT_EQ(find_config("mine.yaml").note, "");
}

TEST_F(Presets, AFolderOfThatNameDoesNot) {
  std::filesystem::create_directory("demo");
  EXPECT_EQ(load_config("demo", {}).corpus.name, "demo");
}

TEST_F(Presets, NeitherFileNorPreset) {
  EXPECT_ERROR(load_config("transformer-bse", {}), UsageError, HasSubstr("--config transformer-base?"),
               HasSubstr("transformer-tiny"));
  EXPECT_ERROR(load_config("configs/transformer-base.yaml", {}), UsageError, HasSubstr("--config transformer-base?"));
  EXPECT_ERROR(load_config("zzz", {}), UsageError, HasSubstr("zzz"), HasSubstr("demo"), HasSubstr("transformer-tiny"));
}

}  // namespace
}  // namespace verbund
