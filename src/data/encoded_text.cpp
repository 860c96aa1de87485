// SPDX-License-Identifier: Apache-2.0
#include "data/encoded_text.h"

#include <algorithm>

#include "core/error.h"
#include "core/human.h"
#include "core/log.h"
#include "core/utf8.h"

namespace verbund {
namespace {

constexpr size_t kNamedPieces = 5;    // unknown pieces that are named; the others are counted
constexpr double kMaxUnknown = 0.05;  // of a side; rare characters are far fewer, pieces of another vocabulary far more

// Calls use(piece) for each piece; white space separates them.
template <typename Use>
void for_pieces(std::string_view line, Use use) {
  constexpr const char* kBlanks = " \t\r\f\v";
  for (size_t begin = line.find_first_not_of(kBlanks); begin != std::string_view::npos;) {
    const size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
    use(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kBlanks, end);
  }
}

void name(UnknownPieces& unknown, const UnknownPieces::First& first) {
  const auto is_same = [&](const UnknownPieces::First& other) { return other.piece == first.piece; };
  const bool named = std::any_of(unknown.named.begin(), unknown.named.end(), is_same);
  if (!named && unknown.named.size() < kNamedPieces) unknown.named.push_back(first);
}

void append_text(std::string_view line, const Subwords& subwords, std::string& text) {
  std::vector<std::string> pieces;
  for_pieces(line, [&](std::string_view piece) { pieces.emplace_back(piece); });
  text.append(subwords.decode_pieces(pieces)).append(1, '\n');
}

}  // namespace

void check_encoded(const Config& config, bool export_text) {
  if (!config.corpus.sources.empty()) {
    fail_usage("--encoded is for one corpus of pieces, but corpus.sources names {}: leave one of them out",
               config.corpus.sources.size());
  }
  if (!config.corpus.name.empty()) {
    fail_usage("--encoded is for files of pieces, but the corpus {} is raw text: leave one of them out",
               config.corpus.name);
  }
  if (config.subwords.model.empty()) {
    fail_usage(
        "encoded text needs the vocabulary it was encoded with: --subwords FILE, a SentencePiece model "
        "(m_common.model) or a vocabulary file of piece TAB score lines (m_common.vocab)");
  }
  if (config.subwords.dropout > 0) {
    fail_usage("subwords.dropout={} splits words again, but encoded text is split already: leave it out",
               config.subwords.dropout);
  }
  if (export_text)
    fail_usage("--export-text writes encoded text, but the input of --encoded is that already: leave it out");
}

PieceIds::PieceIds(const Subwords& subwords) {
  for (TokenId id = kUnknown + 1; id < static_cast<TokenId>(subwords.size()); ++id) {
    ids_.emplace(subwords.piece(id), id);
  }
}

EncodedBlock PieceBlockEncoder::operator()(PairBlock&& block) {
  EncodedBlock result;
  result.cleaned.pairs_before = block.size();
  result.cleaned.source_bytes_before = block.source_bytes;
  result.cleaned.target_bytes_before = block.target_bytes;
  const ParallelFiles& files = request_.corpora[block.corpus];
  for (size_t i = 0; i < block.size(); ++i) {
    const std::string_view source = block.source(i), target = block.target(i);
    const size_t before = result.ids.size();
    const Place source_place = {files.source_file(), block.line(i)};
    const Place target_place = {files.target_file(), block.line(i)};
    const uint32_t source_length = look_up(source, source_ids_, source_place, result, result.source_unknown);
    const uint32_t target_length = look_up(target, target_ids_, target_place, result, result.target_unknown);
    if (request_.train && (source_length == 0 || target_length == 0)) {
      result.ids.resize(before);
      ++result.cleaned.dropped[static_cast<size_t>(Rule::kEmpty)];
      continue;
    }
    result.lengths.insert(result.lengths.end(), {source_length, target_length});
    ++result.cleaned.pairs_after;
    result.cleaned.source_bytes_after += source.size() + 1;
    result.cleaned.target_bytes_after += target.size() + 1;
    if (request_.train) continue;
    append_text(source, vocabularies_.source, result.source_text);
    append_text(target, vocabularies_.target, result.target_text);
  }
  return result;
}

uint32_t PieceBlockEncoder::look_up(std::string_view line, const PieceIds& ids, const Place& place, EncodedBlock& block,
                                    UnknownPieces& unknown) {
  if (!is_utf8(line)) fail("line {} of {} is not UTF-8. Convert the file (iconv).", place.line, place.file);
  const size_t before = block.ids.size();
  for_pieces(line, [&](std::string_view piece) {
    const TokenId id = ids.find(piece);
    block.ids.push_back(id);
    if (id != kUnknown) return;
    ++unknown.unknown;
    if (unknown.named.size() < kNamedPieces) {
      name(unknown, {std::string(piece), fmt::format("{}:{}", place.file, place.line)});
    }
  });
  const size_t count = block.ids.size() - before;
  unknown.pieces += count;
  return static_cast<uint32_t>(count);
}

void add(UnknownPieces& sum, const UnknownPieces& more) {
  sum.pieces += more.pieces;
  sum.unknown += more.unknown;
  for (const UnknownPieces::First& first : more.named) name(sum, first);
}

void report_unknown(const std::string& split, const char* side, const UnknownPieces& unknown) {
  if (unknown.unknown == 0) return;
  const double share = static_cast<double>(unknown.unknown) / static_cast<double>(unknown.pieces);
  std::vector<std::string> named;
  for (const auto& [piece, place] : unknown.named) named.push_back(fmt::format("\"{:.40}\" ({})", piece, place));
  const std::string found = fmt::format("{} of {} pieces ({:.3g} %) of the {} {} text are not in the vocabulary: {}{}",
                                        human_count(unknown.unknown), human_count(unknown.pieces), 100 * share, split,
                                        side, fmt::join(named, ", "), unknown.unknown > named.size() ? ", ..." : "");
  if (share > kMaxUnknown) {
    fail(
        "{}\nMore than {:.0f} % cannot be rare characters: the text is not encoded, or has another vocabulary. Give "
        "the right one (--subwords FILE), or leave out --encoded for raw text.",
        found, 100 * kMaxUnknown);
  }
  warn("{} (they become <unk>)", found);
}

}  // namespace verbund
