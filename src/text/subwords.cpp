#include "text/subwords.h"

#include <sentencepiece_processor.h>

#include "core/error.h"
#include "core/file.h"
#include "text/wire_format.h"

namespace verbund {
namespace {

enum ModelType { kUnigramModel = 1, kBpeModel = 2, kWordModel = 3, kCharModel = 4 };

// The library does not tell a model's type, but the file does: the trainer's settings are field 2, and of these the
// type is field 3.
ModelType model_type(std::string_view file) {
  for (WireReader model(file); model.next();) {
    if (model.number != 2) continue;
    for (WireReader settings(model.bytes); settings.next();) {
      if (settings.number == 3) return static_cast<ModelType>(settings.value);
    }
  }
  return kUnigramModel;  // the format's default
}

// Field 1 is a piece, whose type is field 3: ordinary (1, if missing), or control, user-defined, byte, ...
std::vector<bool> ordinary_pieces(std::string_view file) {
  std::vector<bool> ordinary;
  for (WireReader model(file); model.next();) {
    if (model.number != 1) continue;
    ordinary.push_back(true);
    for (WireReader piece(model.bytes); piece.next();) {
      if (piece.number == 3) ordinary.back() = piece.value == 1;
    }
  }
  return ordinary;
}

}  // namespace

struct Subwords::Model {
  sentencepiece::SentencePieceProcessor processor;
  ModelType type;
};

Subwords::Subwords(const fs::path& path) : model_(std::make_unique<Model>()) {
  const MappedFile file(path);
  const auto& processor = model_->processor;
  const auto status = model_->processor.LoadFromSerializedProto(file.bytes());
  if (!status.ok() || processor.GetPieceSize() == 0) {
    fail("{} is not a SentencePiece model ({})", path.string(), status.ok() ? "it has no pieces" : status.message());
  }
  model_->type = model_type(file.bytes());
  if (processor.pad_id() != kPad || processor.eos_id() != kEndOfSentence || processor.bos_id() != kStartOfSentence ||
      processor.unk_id() != kUnknown) {
    fail(
        "{} numbers its special pieces pad {}, </s> {}, <s> {}, unknown {}, but Verbund needs 0, 1, 2, 3. "
        "Learn the "
        "model with `verbund prepare`, or with spm_train --pad_id=0 --eos_id=1 --bos_id=2 --unk_id=3",
        path.string(), processor.pad_id(), processor.eos_id(), processor.bos_id(), processor.unk_id());
  }
  ordinary_ = ordinary_pieces(file.bytes());
  encodes_by_word_ = decide_by_word();
}

Subwords::~Subwords() = default;
Subwords::Subwords(Subwords&&) noexcept = default;
Subwords& Subwords::operator=(Subwords&&) noexcept = default;

// Merges of byte pairs never reach across words if no piece does. (A unigram model splits
// words one by one as well, but rounding of the sentence's score may break ties otherwise.)
bool Subwords::decide_by_word() const {
  if (model_->type != kBpeModel) return false;
  if (model_->processor.PieceToId(kWordStart) == kUnknown) return false;
  for (TokenId id = kUnknown + 1; id < static_cast<TokenId>(size()); ++id) {
    if (piece(id).find(kWordStart, 1) != std::string::npos) return false;
  }
  // The normaliser must squeeze blanks and put a word start before each word.
  const std::vector<TokenId> a = encode("a"), b = encode("b");
  std::vector<TokenId> both = a;
  both.insert(both.end(), b.begin(), b.end());
  return encode(" a  b ") == both && !a.empty() && piece(a.front()).rfind(kWordStart, 0) == 0;
}

size_t Subwords::size() const { return static_cast<size_t>(model_->processor.GetPieceSize()); }

const char* Subwords::type() const {
  switch (model_->type) {
    case kBpeModel:
      return "bpe";
    case kUnigramModel:
      return "unigram";
    case kWordModel:
      return "word";
    case kCharModel:
      return "char";
  }
  return "unknown";
}

std::string Subwords::piece(TokenId id) const { return model_->processor.IdToPiece(id); }
float Subwords::score(TokenId id) const { return model_->processor.GetScore(id); }

std::vector<TokenId> Subwords::encode(std::string_view text) const {
  std::vector<int> ids;
  const auto status = model_->processor.Encode(text, &ids);
  if (!status.ok()) fail("cannot encode \"{:.60}\": {}", text, status.message());
  return ids;
}

std::string Subwords::decode(const std::vector<TokenId>& ids) const {
  std::string text;
  const auto status = model_->processor.Decode(ids, &text);
  if (!status.ok()) fail("cannot decode {} token ids: {}", ids.size(), status.message());
  return text;
}

std::string Subwords::decode_pieces(const std::vector<std::string>& pieces) const {
  std::string text;
  const auto status = model_->processor.Decode(pieces, &text);
  if (!status.ok()) fail("cannot decode {} pieces: {}", pieces.size(), status.message());
  return text;
}

std::vector<std::string> Subwords::encode_pieces(std::string_view text) const {
  std::vector<std::string> pieces;
  const auto status = model_->processor.Encode(text, &pieces);
  if (!status.ok()) fail("cannot encode \"{:.60}\": {}", text, status.message());
  return pieces;
}

}  // namespace verbund
