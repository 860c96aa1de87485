// SPDX-License-Identifier: Apache-2.0
#include "train/start_from.h"

#include <gtest/gtest.h>

#include <numeric>

#include "support/temporary_folder.h"
#include "text/vocabulary_file.h"

namespace verbund {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

// A vocabulary of the special pieces and these.
Subwords vocabulary_of(const TemporaryFolder& folder, const std::vector<std::string>& pieces) {
  std::string text = "<pad>\t0\n</s>\t0\n<s>\t0\n<unk>\t0\n";
  for (size_t i = 0; i < pieces.size(); ++i) text += fmt::format("{}\t-{}.5\n", pieces[i], i + 1);
  folder.write("pieces.vocab", text);
  make_subword_model(folder / "pieces.vocab", folder.path(), folder / "pieces.model");
  return Subwords(folder / "pieces.model");
}

// The parameters of a model with one layer and two floats a row, filled with 1, 2, 3, ...
struct OtherModel {
  OtherModel(const ModelConfig& config, VocabularySizes sizes) : table(config, sizes) {
    values.resize(static_cast<size_t>(table.buffer_size()));
    std::iota(values.begin(), values.end(), 1.0f);
    for (const Parameter& p : table.all()) tensors.push_back(view_tensor(p.name, p.shape, of(p.name, values)));
  }

  std::span<const float> of(const std::string& name, std::span<const float> all) const {
    const Parameter& p = table.find(name);
    return all.subspan(static_cast<size_t>(p.offset), static_cast<size_t>(p.size));
  }

  ParameterTable table;
  std::vector<float> values;
  std::vector<TensorView> tensors;
};

ModelConfig narrow_model(Sharing sharing) {
  ModelConfig config;
  config.encoder_layers = config.decoder_layers = config.heads = 1;
  config.d_model = config.d_ff = 2;
  config.share_embeddings = sharing;
  return config;
}

TEST(StartFrom, PiecesAreFoundByTheirText) {
  TemporaryFolder folder;
  const Subwords before = vocabulary_of(folder, {"▁", "a", "b", "▁a", "ab"});
  const Subwords now = vocabulary_of(folder, {"b", "c", "▁a", "▁"});
  const PieceRows rows = rows_in(before, now);
  EXPECT_THAT(rows.rows, ElementsAre(0, 1, 2, 3, 6, PieceRows::kNone, 7, 4));
  EXPECT_EQ(rows.known(), 7u);
  EXPECT_EQ(rows_in(now, now).known(), 8u);
}

TEST(StartFrom, RowsFollowTheirPiecesAndOthersStay) {
  TemporaryFolder folder;
  const OtherModel before(narrow_model(Sharing::kNone), {4, 3});
  write_safetensors(folder / "w", before.tensors);
  const OtherModel now(narrow_model(Sharing::kNone), {3, 4});
  std::vector<float> values(now.values.size(), -1.0f);
  const PieceRows source = {{3, PieceRows::kNone, 0}}, target = {{2, 1, PieceRows::kNone, 0}};
  EXPECT_EQ(carry_over(SafetensorsFile(folder / "w"), source, target, now.table, values), now.table.all().size());

  const auto theirs = before.of("source.embedding", before.values);
  EXPECT_THAT(now.of("source.embedding", values), ElementsAre(theirs[6], theirs[7], -1, -1, theirs[0], theirs[1]));
  for (const char* name : {"target.embedding", "output.weight"}) {
    const auto rows = before.of(name, before.values);
    EXPECT_THAT(now.of(name, values), ElementsAre(rows[4], rows[5], rows[2], rows[3], -1, -1, rows[0], rows[1]));
  }
  const auto dense = before.of("encoder.0.ff.in.weight", before.values);
  EXPECT_THAT(now.of("encoder.0.ff.in.weight", values), ElementsAre(dense[0], dense[1], dense[2], dense[3]));
}

TEST(StartFrom, TheBiasOfAPieceFollowsIt) {
  TemporaryFolder folder;
  ModelConfig config = narrow_model(Sharing::kAll);
  config.output_bias = true;
  const OtherModel before(config, {5, 5}), now(config, {4, 4});
  write_safetensors(folder / "w", before.tensors);
  std::vector<float> values(now.values.size(), -1.0f);
  const PieceRows rows = {{4, PieceRows::kNone, 0, 3}};
  carry_over(SafetensorsFile(folder / "w"), rows, rows, now.table, values);
  const auto theirs = before.of("output.bias", before.values);
  EXPECT_THAT(now.of("output.bias", values), ElementsAre(theirs[4], -1, theirs[0], theirs[3]));
}

TEST(StartFrom, AnotherWidthOrAMissingParameterIsNotCopied) {
  TemporaryFolder folder;
  const OtherModel before(narrow_model(Sharing::kAll), {5, 5});
  write_safetensors(folder / "w", before.tensors);
  const PieceRows same = {{0, 1, 2, 3, 4}};

  const OtherModel separate(narrow_model(Sharing::kTarget), {5, 5});  // has target.embedding as well
  std::vector<float> values(separate.values.size(), -1.0f);
  EXPECT_EQ(carry_over(SafetensorsFile(folder / "w"), same, same, separate.table, values),
            separate.table.all().size() - 1);
  EXPECT_THAT(separate.of("target.embedding", values), Each(-1));

  ModelConfig wide = narrow_model(Sharing::kAll);
  wide.d_model = 4;
  const OtherModel wider(wide, {5, 5});
  values.assign(wider.values.size(), -1.0f);
  carry_over(SafetensorsFile(folder / "w"), same, same, wider.table, values);
  EXPECT_THAT(wider.of("source.embedding", values), Each(-1));
}

}  // namespace
}  // namespace verbund
