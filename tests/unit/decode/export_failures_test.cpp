// SPDX-License-Identifier: Apache-2.0
// Exporting a model, through every failure of the file system.
#include <gtest/gtest.h>

#include "core/file.h"
#include "decode/export.h"
#include "support/failure_walk.h"
#include "support/made_model.h"
#include "text/subword_trainer.h"

namespace verbund {
namespace {

TEST(ExportFailures, AModelIsExportedAsAWhole) {
  const TemporaryFolder text;
  std::string pairs;
  for (int i = 0; i < 100; ++i) pairs += fmt::format("the number {}\tdie Zahl {}\n", i, i);
  SubwordConfig subwords;
  subwords.vocabulary = 40;
  learn_subwords(text.write("pairs", pairs), Sides::kBoth, subwords, text / "model");
  ModelConfig model;
  model.d_model = model.d_ff = 8;
  model.heads = 2;
  model.encoder_layers = model.decoder_layers = 1;
  Config config;
  config.model = model;
  walk_failures({.prepare = [&](const fs::path& folder) { write_file(folder / "model", slurp(text / "model")); },
                 .work =
                     [&](const fs::path& folder) {
                       const fs::path vocabulary = folder / "model";
                       const TrainedModel trained = {.config = config,
                                                     .checkpoint = folder / "checkpoint",
                                                     .origin = "{}",
                                                     .source_vocabulary = vocabulary,
                                                     .target_vocabulary = vocabulary,
                                                     .source = Subwords(vocabulary),
                                                     .target = Subwords(vocabulary),
                                                     .model = made_model(model, {40, 40}, 1).model};
                       if (fs::exists(folder / "exported"))
                         return remove_path(folder / "exported.partial");  // after it, a kill
                       export_to_ctranslate2(trained, folder / "exported", "program");
                     },
                 .unread = {"exported/provenance.json"}},
                100);
}

}  // namespace
}  // namespace verbund
