#include "text/subwords.h"

#include <sentencepiece_processor.h>

#include "core/error.h"
#include "core/file.h"

namespace verbund {
namespace {

enum ModelType { kUnigramModel = 1, kBpeModel = 2, kWordModel = 3, kCharModel = 4 };

// The library does not tell a model's type, but the file does. It is a protocol buffer in
// which the trainer's settings are field 2, and of these the type is field 3. Every field
// is a tag (number << 3 | wire type), then a varint (0), 8 bytes (1), length + bytes (2) or
// 4 bytes (5).
class WireReader {
 public:
  explicit WireReader(std::string_view message) : rest_(message) {}

  bool next() {
    if (rest_.empty()) return false;
    const uint64_t tag = varint();
    number = tag >> 3;
    switch (tag & 7) {
      case 0:
        value = varint();
        break;
      case 1:
        take(8);
        break;
      case 2:
        bytes = take(varint());
        break;
      case 5:
        take(4);
        break;
      default:
        rest_ = {};
        return false;
    }
    return true;
  }

  uint64_t number = 0;
  uint64_t value = 0;
  std::string_view bytes;

 private:
  uint64_t varint() {
    uint64_t result = 0;
    for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      result |= uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) break;
    }
    return result;
  }

  std::string_view take(uint64_t count) {
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(taken.size());
    return taken;
  }

  std::string_view rest_;
};

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

std::vector<std::string> Subwords::encode_pieces(std::string_view text) const {
  std::vector<std::string> pieces;
  const auto status = model_->processor.Encode(text, &pieces);
  if (!status.ok()) fail("cannot encode \"{:.60}\": {}", text, status.message());
  return pieces;
}

}  // namespace verbund
