// SPDX-License-Identifier: Apache-2.0
#include "train/request_checks.h"

#include <gmock/gmock.h>

#include "core/error.h"
#include "core/file.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::HasSubstr;

void check(const std::vector<std::string>& overrides) { check_settings(load_config("", overrides)); }

TEST(RequestChecks, ThePresetsPass) {
  for (const BuiltinFile& preset : builtin_presets()) check_settings(load_config(std::string(preset.name), {}));
}

TEST(RequestChecks, SettingsThatContradictEachOtherAreRefused) {
  check({"workers.sync_every=8"});
  EXPECT_ERROR(check({"workers.sync_every=8", "workers.shard_optimizer=true"}), UsageError, HasSubstr("shard"));
  EXPECT_ERROR(check({"workers.sync_every=8", "workers.sync_delay=9"}), UsageError, HasSubstr("sync_delay"));
  EXPECT_ERROR(check({"workers.transport=nccl", "workers.wire=int8"}), UsageError, HasSubstr("workers.wire"));
  EXPECT_ERROR(check({"model.d_model=30"}), UsageError, HasSubstr("d_model"));
  EXPECT_ERROR(check({"train.freeze=nothing_of_that_name"}), UsageError, HasSubstr("train.freeze"));
  const auto check_bits = [](const std::string& scale) {
    check_precision(load_config("", {"train.precision=fp16", "loss_scale.type=" + scale}));
  };
  EXPECT_ERROR(check_bits("none"), UsageError, HasSubstr("loss_scale"));
  check_bits("backoff");
  EXPECT_ERROR(check({"evaluate.stop_on=loss", "train.eval_every=0"}), UsageError, HasSubstr("train.eval_every"));
}

TEST(RequestChecks, ATrainingHasAnEnd) {
  EXPECT_ERROR(check_length(load_config("", {"train.max_steps=0", "train.epochs=0"})), UsageError,
               HasSubstr("train.max_steps"));
  check_length(load_config("", {"train.epochs=1"}));
}

TEST(RequestChecks, ARunFolderIsFreeEmptyOrOfARun) {
  TemporaryFolder folder;
  check_run_folder(folder / "new");
  fs::create_directory(folder / "run");
  check_run_folder(folder / "run");
  folder.write("file", "x");
  EXPECT_ERROR(check_run_folder(folder / "file"), Error, HasSubstr("file"));
  EXPECT_THROW(check_run_folder(folder.path()), Error) << "it has other files";
}

}  // namespace
}  // namespace verbund
