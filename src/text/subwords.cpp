// SPDX-License-Identifier: Apache-2.0
#include "text/subwords.h"

#include <sentencepiece_processor.h>

#include "core/error.h"
#include "core/file.h"
#include "core/protobuf.h"
#include "text/subword_model_check.h"

namespace verbund {
namespace {

enum ModelType { kUnigramModel = 1, kBpeModel = 2, kWordModel = 3, kCharModel = 4 };

// The library does not tell a model's type, but the file does: field 2 holds the trainer's settings, and their field 3
// is the type.
ModelType model_type(std::string_view file) {
  ProtoReader model(file);
  while (const auto field = model.next()) {
    if (field->number != 2) continue;
    ProtoReader settings(field->bytes());
    while (const auto setting = settings.next()) {
      if (setting->number == 3) return static_cast<ModelType>(setting->integer());
    }
  }
  return kUnigramModel;  // the format's default
}

// Field 1 is a piece, whose field 3 is its type: ordinary (1, the default), control, user-defined, byte, ...
std::vector<bool> ordinary_pieces(std::string_view file) {
  std::vector<bool> ordinary;
  ProtoReader model(file);
  while (const auto field = model.next()) {
    if (field->number != 1) continue;
    ordinary.push_back(true);
    ProtoReader piece(field->bytes());
    while (const auto part = piece.next()) {
      if (part->number == 3) ordinary.back() = part->integer() == 1;
    }
  }
  return ordinary;
}

bool has_pieces_of_text(const sentencepiece::SentencePieceProcessor& processor) {
  for (int id = 0; id < processor.GetPieceSize(); ++id) {
    if (!processor.IsControl(id) && !processor.IsUnknown(id) && !processor.IsUnused(id)) return true;
  }
  return false;
}

void load_model(std::string_view bytes, const fs::path& path, sentencepiece::SentencePieceProcessor& processor) {
  check_subword_model_file(bytes, path);
  const auto load = [&]() -> std::string {
    try {
      const auto status = processor.LoadFromSerializedProto(bytes);
      return status.ok() ? "" : status.message();
    } catch (const std::exception& error) {  // of its tries, for an empty piece
      return error.what();
    }
  };
  if (const std::string trouble = load(); !trouble.empty()) {
    fail("{} is not a SentencePiece model ({})", path.string(), trouble);
  }
  if (!has_pieces_of_text(processor)) {
    fail("{} is not a SentencePiece model of text: it has no pieces that text can be cut into", path.string());
  }
}

// Words that WordEncoder remembers, some 30 MB. Rare words fill the table; when it is full it starts again, which costs
// little, because the frequent words return at once.
constexpr size_t kMaxWords = 200000;

}  // namespace

bool is_language_code(std::string_view piece) {
  return piece.size() > 4 && piece.starts_with(">>") && piece.ends_with("<<");
}

struct Subwords::Model {
  sentencepiece::SentencePieceProcessor processor;
  ModelType type;
};

void check_subword_model(const fs::path& path) {
  sentencepiece::SentencePieceProcessor processor;
  load_model(MappedFile(path).bytes(), path, processor);
}

Subwords::Subwords(const fs::path& path) : model_(std::make_unique<Model>()) {
  const MappedFile file(path);
  load_model(file.bytes(), path, model_->processor);
  const auto& processor = model_->processor;
  model_->type = model_type(file.bytes());
  if (processor.pad_id() != kPad || processor.eos_id() != kEndOfSentence || processor.bos_id() != kStartOfSentence ||
      processor.unk_id() != kUnknown) {
    fail(
        "{} has the special pieces pad {}, </s> {}, <s> {}, unknown {}, but Verbund needs the ids 0, 1, 2, 3. "
        "Learn the model with `verbund prepare`, or with spm_train --pad_id=0 --eos_id=1 --bos_id=2 --unk_id=3",
        path.string(), processor.pad_id(), processor.eos_id(), processor.bos_id(), processor.unk_id());
  }
  ordinary_ = ordinary_pieces(file.bytes());
  encodes_by_word_ = decide_by_word();
}

Subwords::~Subwords() = default;
Subwords::Subwords(Subwords&&) noexcept = default;
Subwords& Subwords::operator=(Subwords&&) noexcept = default;

// BPE merges never cross words if no piece does. (A unigram model splits words one by one as well, but rounding of the
// sentence's score may break ties differently.)
bool Subwords::decide_by_word() const {
  if (model_->type != kBpeModel) return false;
  if (model_->processor.PieceToId(kWordStart) == kUnknown) return false;
  for (TokenId id = kUnknown + 1; id < static_cast<TokenId>(size()); ++id) {
    if (is_code(id) && model_->processor.PieceToId(std::string(kWordStart) + piece(id)) == kUnknown) return false;
    if (piece(id).find(kWordStart, 1) != std::string::npos) return false;
  }
  // The normaliser must join spaces and put a word start before each word.
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

// A model that was not learned here may have the symbol without a word start, which is then a piece before it.
bool Subwords::is_symbol(std::string_view text) const {
  const std::vector<TokenId> ids = encode(text);
  if (ids.empty() || ids.size() > 2 || ids.back() <= kUnknown || is_ordinary(ids.back())) return false;
  const std::string last = piece(ids.back()), first = ids.size() == 2 ? piece(ids.front()) : "";
  return (last == text && (first.empty() || first == kWordStart)) ||
         (first.empty() && last == std::string(kWordStart).append(text));
}

std::vector<TokenId> Subwords::encode(std::string_view text) const {
  std::vector<int> ids;
  const auto status = model_->processor.Encode(text, &ids);
  if (!status.ok()) fail("cannot encode \"{:.60}\": {}", text, status.message());
  if (ids.size() > 1 && is_code(ids[1]) && piece(ids[0]) == kWordStart) ids.erase(ids.begin());
  return ids;
}

bool Subwords::is_code(TokenId id) const { return id > kUnknown && !is_ordinary(id) && is_language_code(piece(id)); }

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
  if (pieces.size() > 1 && pieces[0] == kWordStart && is_code(model_->processor.PieceToId(pieces[1]))) {
    pieces.erase(pieces.begin());
  }
  return pieces;
}

size_t WordEncoder::encode(std::string_view text, std::vector<TokenId>& ids) {
  const size_t before = ids.size();
  if (!subwords_.encodes_by_word()) {
    const std::vector<TokenId> encoded = subwords_.encode(text);
    ids.insert(ids.end(), encoded.begin(), encoded.end());
    return encoded.size();
  }
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    if (end > begin) {
      const std::string_view word = text.substr(begin, end - begin);
      const auto found = words_.find(word);
      const Known known = found != words_.end() ? found->second : learn(word);
      ids.insert(ids.end(), ids_.begin() + known.begin, ids_.begin() + known.begin + known.count);
    }
    begin = end + 1;
  }
  return ids.size() - before;
}

WordEncoder::Known WordEncoder::learn(std::string_view word) {
  if (words_.size() >= kMaxWords) {
    words_.clear();
    ids_.clear();
  }
  const std::vector<TokenId> encoded = subwords_.encode(word);
  const Known known = {static_cast<uint32_t>(ids_.size()), static_cast<uint32_t>(encoded.size())};
  ids_.insert(ids_.end(), encoded.begin(), encoded.end());
  words_.emplace(word, known);
  return known;
}

}  // namespace verbund
