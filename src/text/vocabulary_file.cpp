// SPDX-License-Identifier: Apache-2.0
#include "text/vocabulary_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <unordered_map>

#include "core/error.h"
#include "core/file.h"
#include "core/protobuf.h"
#include "core/utf8.h"
#include "text/line_reader.h"
#include "text/subword_trainer.h"

namespace verbund {
namespace {

constexpr std::array kSpecialPieces = {"<pad>", "</s>", "<s>", "<unk>"};

// Field numbers and values of the model file.
enum ModelField { kPieces = 1, kTrainerSettings = 2, kNormalizer = 3 };
enum PieceField { kText = 1, kScore = 2, kType = 3 };
enum PieceType { kOrdinary = 1, kUnknownType = 2, kControl = 3 };
constexpr uint64_t kVocabularySize = 4;  // of the trainer's settings

VocabularyPiece parse_line(const std::string& line, const LineReader& reader) {
  const size_t tab = line.find('\t');
  VocabularyPiece entry{line.substr(0, tab), 0};
  const char* end = line.data() + line.size();
  const auto refuse = [&](const char* why) {
    fail("{} line {} is \"{:.60}\", {}: a vocabulary file has lines of piece TAB score", reader.path().string(),
         reader.lines(), line, why);
  };
  if (!is_utf8(line)) {
    fail("{} line {} is not UTF-8, but a vocabulary file must be", reader.path().string(), reader.lines());
  }
  if (tab == std::string::npos) refuse("which has no score");
  if (tab == 0) refuse("which has no piece");
  const auto [stop, error] = std::from_chars(line.data() + tab + 1, end, entry.score);
  if (error != std::errc() || stop != end || !std::isfinite(entry.score)) refuse("whose score is not a number");
  return entry;
}

// Scores of BPE are ranks, those of unigrams log-probabilities.
SubwordType type_of(const std::vector<VocabularyPiece>& pieces) {
  const bool ranks = std::all_of(pieces.begin() + kSpecialPieces.size(), pieces.end(),
                                 [](const VocabularyPiece& entry) { return entry.score == std::trunc(entry.score); });
  return ranks ? SubwordType::kBpe : SubwordType::kUnigram;
}

// Every model contains SentencePiece's settings and its normalisation table: the smallest one will do.
std::string least_model(SubwordType type, const fs::path& work) {
  const fs::path corpus = work / "least.tsv", model = work / "least.model";
  write_file(corpus, "a b ab ba\ta b ab ba\n");
  SubwordConfig config;
  config.type = type;
  config.vocabulary = 8;
  config.character_coverage = 1;
  learn_subwords(corpus, Sides::kBoth, config, model);
  std::string bytes = read_file(model);
  remove_path(corpus);
  remove_path(model);
  return bytes;
}

}  // namespace

std::string vocabulary_file(const Subwords& subwords) {
  std::string text;
  for (TokenId id = 0; id < static_cast<TokenId>(subwords.size()); ++id) {
    text += fmt::format("{}\t{}\n", subwords.piece(id), subwords.score(id));
  }
  return text;
}

bool is_vocabulary_file(const fs::path& path) {
  // A model begins with the tag of its first piece, a line feed; no line of a vocabulary is empty.
  const MappedFile file(path);
  const std::string_view first = file.bytes().substr(0, file.bytes().find('\n'));
  return !first.empty() && first.size() < 1000 && first.find('\t') != std::string_view::npos;
}

std::vector<VocabularyPiece> read_vocabulary_file(const fs::path& path) {
  std::vector<VocabularyPiece> pieces;
  std::unordered_map<std::string, uint64_t> lines;
  LineReader reader(path);
  for (std::string line; reader.next_line(line);) {
    VocabularyPiece entry = parse_line(line, reader);
    const size_t id = pieces.size();
    if (id < kSpecialPieces.size() && entry.piece != kSpecialPieces[id]) {
      fail("{} line {} is the piece \"{:.60}\", but Verbund needs {} there: ids 0 to 3 are <pad>, </s>, <s>, <unk>",
           path.string(), reader.lines(), entry.piece, kSpecialPieces[id]);
    }
    const auto [earlier, is_new] = lines.emplace(entry.piece, reader.lines());
    if (!is_new) {
      fail("{} has the piece \"{:.60}\" twice, in lines {} and {}: its id is ambiguous", path.string(), entry.piece,
           earlier->second, reader.lines());
    }
    pieces.push_back(std::move(entry));
  }
  if (pieces.size() <= kSpecialPieces.size()) {
    fail("{} has {} pieces: that is not a vocabulary", path.string(), pieces.size());
  }
  return pieces;
}

void make_subword_model(const fs::path& vocabulary, const fs::path& work, const fs::path& output) {
  const std::vector<VocabularyPiece> pieces = read_vocabulary_file(vocabulary);
  ProtoMessage model;
  for (size_t id = 0; id < pieces.size(); ++id) {
    ProtoMessage piece;
    piece.add_bytes(kText, pieces[id].piece).add_float(kScore, pieces[id].score);
    const bool special = id < kSpecialPieces.size();
    piece.add_integer(kType, static_cast<TokenId>(id) == kUnknown ? kUnknownType : special ? kControl : kOrdinary);
    model.add(kPieces, piece);
  }
  const std::string least = least_model(type_of(pieces), work);
  ProtoReader fields(least);
  while (const auto field = fields.next()) {
    if (field->number == kTrainerSettings || field->number == kNormalizer) {
      model.add_bytes(field->number, field->bytes());
    }
  }
  ProtoMessage size;  // repeated messages are merged; the later value wins
  size.add_integer(kVocabularySize, static_cast<int64_t>(pieces.size()));
  model.add(kTrainerSettings, size);
  write_file(output, model.bytes());
}

}  // namespace verbund
