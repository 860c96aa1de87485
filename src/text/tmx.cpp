// SPDX-License-Identifier: Apache-2.0
// TMX, the XML format of translation memories: <tu> units with a <tuv xml:lang="..."><seg>text</seg></tuv> for each
// language. expat parses it, some kilobytes at a time. What could make a small file large (entities) is refused, and
// nothing outside the file is read.
#include <expat.h>

#include <deque>
#include <map>
#include <optional>

#include "core/error.h"
#include "core/human.h"
#include "text/language.h"
#include "text/line_reader.h"
#include "text/pair_stream.h"
#include "text/xml_bytes.h"

namespace verbund {
namespace {

constexpr size_t kChunk = 1 << 16;
constexpr size_t kLongestSegment = 1 << 20;  // bytes of text, far beyond any sentence
constexpr size_t kLongestTag = 4 << 20;      // bytes that expat must hold at once

// Elements of a segment that hold codes of the original document, not text.
bool holds_code(std::string_view element) {
  return element == "bpt" || element == "ept" || element == "it" || element == "ph" || element == "ut";
}

class TmxStream final : public PairStream {
 public:
  explicit TmxStream(const ParallelFiles& files)
      : path_(files.both()),
        bytes_(path_),
        source_language_(language_code(files.sides()[0])),
        target_language_(language_code(files.sides()[1])),
        parser_(XML_ParserCreate(nullptr)) {
    if (parser_ == nullptr) fail("cannot read {}: expat failed to initialise", path_);
    XML_SetUserData(parser_, this);
    XML_SetElementHandler(
        parser_, [](void* self, const char* name, const char** attributes) { of(self).start(name, attributes); },
        [](void* self, const char* name) { of(self).end(name); });
    XML_SetCharacterDataHandler(parser_, [](void* self, const char* text, int size) {
      of(self).text({text, static_cast<size_t>(size)});
    });
    XML_SetXmlDeclHandler(parser_, [](void* self, const char*, const char* encoding, int) {
      if (encoding != nullptr) of(self).encoding_ = encoding;
    });
    XML_SetEntityDeclHandler(parser_, [](void* self, const char* name, int, const char*, int, const char*, const char*,
                                         const char*, const char*) { of(self).refuse_entity(name); });
    XML_SetSkippedEntityHandler(parser_, [](void* self, const char* name, int) {
      of(self).stop(fmt::format("uses the entity &{};, which it does not define. Replace it by its text", name));
    });
  }
  ~TmxStream() override { XML_ParserFree(parser_); }
  TmxStream(const TmxStream&) = delete;
  TmxStream& operator=(const TmxStream&) = delete;

  bool read(PairBlock& block) override {
    while (pairs_.empty() && !ended_) parse_more();
    if (pairs_.empty()) return false;
    const Pair& pair = pairs_.front();
    block.add(pair.source, pair.target, pair.line);
    pairs_.pop_front();
    return true;
  }
  uint64_t position() const override { return bytes_.position(); }
  uint64_t skipped() const override { return skipped_; }

 private:
  struct Pair {
    std::string source, target;
    uint64_t line;
  };

  static TmxStream& of(void* self) { return *static_cast<TmxStream*>(self); }

  void parse_more() {
    chunk_.resize(kChunk);
    chunk_.resize(bytes_.read(chunk_));
    ended_ = chunk_.empty();
    given_ += chunk_.size();
    const XML_Status status = XML_Parse(parser_, chunk_.data(), static_cast<int>(chunk_.size()), ended_ ? 1 : 0);
    if (!problem_.empty()) fail("{} line {} {}.", path_, problem_line_, problem_);
    if (status != XML_STATUS_OK) fail_broken();
    const auto used = static_cast<uint64_t>(std::max<XML_Index>(XML_GetCurrentByteIndex(parser_), 0));
    if (given_ - std::min(given_, used) > kLongestTag) {
      fail("{} line {} has a tag of more than {}: this is not a translation memory.", path_, line(),
           human_bytes(kLongestTag));
    }
    if (ended_ && units_ == skipped_) fail_without_pairs();
  }

  [[noreturn]] void fail_broken() const {
    if (ended_) {
      fail("{} ends in the middle of its XML, in line {}: it is truncated. Copy or download it again.", path_, line());
    }
    if (XML_GetErrorCode(parser_) == XML_ERROR_UNKNOWN_ENCODING) {
      fail(
          "{} is in the encoding {}, which is not read. Convert it (iconv -f {} -t utf-8 FILE), and let its first line "
          "say encoding=\"utf-8\".",
          path_, encoding_, encoding_);
    }
    fail("{} line {} is not well-formed XML: {}. Repair the file (xmllint shows the place).", path_, line(),
         XML_ErrorString(XML_GetErrorCode(parser_)));
  }

  [[noreturn]] void fail_without_pairs() const {
    std::string found;
    for (const auto& [language, count] : languages_) {
      found += fmt::format("{}{} ({})", found.empty() ? "" : ", ", language, human_count(count));
    }
    fail(
        "{}: none of {} units has both {} and {}; its languages are {}. Name two of them with columns: [SOURCE, "
        "TARGET].",
        path_, human_count(units_), source_language_, target_language_, found.empty() ? "unknown" : found);
  }

  uint64_t line() const { return XML_GetCurrentLineNumber(parser_); }

  // Exceptions must not pass through expat.
  void stop(std::string problem) {
    if (!problem_.empty()) return;
    problem_ = std::move(problem);
    problem_line_ = line();
    XML_StopParser(parser_, XML_FALSE);
  }

  void refuse_entity(const char* name) {
    stop(fmt::format(
        "defines the entity {}. Entities are not read, because a few lines of them can stand for gigabytes: replace "
        "them by their text",
        name));
  }

  void start(std::string_view element, const char** attributes) {
    if (depth_++ == 0 && element != "tmx")
      return stop(fmt::format("begins with <{}>, but TMX begins with <tmx>", element));
    if (in_segment_) {
      if (code_depth_ > 0 || holds_code(element)) ++code_depth_;
    } else if (element == "tu") {
      unit_line_ = line();
      source_.reset();
      target_.reset();
    } else if (element == "tuv") {
      language_.clear();
      for (const char** next = attributes; next[0] != nullptr; next += 2) {
        const std::string_view name = next[0];
        if (name == "xml:lang" || (name == "lang" && language_.empty())) language_ = language_code(next[1]);
      }
      if (languages_.size() < 1000) ++languages_[language_];
    } else if (element == "seg") {
      in_segment_ = true;
      segment_.clear();
    }
  }

  void end(std::string_view element) {
    --depth_;
    if (code_depth_ > 0) {
      --code_depth_;
    } else if (element == "seg") {
      in_segment_ = false;
      keep_segment();
    } else if (element == "tu") {
      ++units_;
      if (source_ && target_) {
        pairs_.push_back({std::move(*source_), std::move(*target_), unit_line_});
      } else {
        ++skipped_;
      }
    }
  }

  void text(std::string_view text) {
    if (!in_segment_ || code_depth_ > 0) return;
    segment_.append(text);
    if (segment_.size() > kLongestSegment) {
      stop(fmt::format("has a segment of more than {}, which is not a sentence", human_bytes(kLongestSegment)));
    }
  }

  // The first text of each language.
  void keep_segment() {
    const std::string text = marks_to_invalid_bytes(one_line(segment_));
    if (!source_ && languages_fit(language_, source_language_)) {
      source_ = text;
    } else if (!target_ && languages_fit(language_, target_language_)) {
      target_ = text;
    }
  }

  std::string path_;
  XmlBytes bytes_;
  std::string source_language_, target_language_;
  XML_Parser parser_;
  std::string chunk_;
  uint64_t given_ = 0;  // bytes, to expat
  bool ended_ = false;
  std::string encoding_;    // by the XML declaration
  std::deque<Pair> pairs_;  // of the last chunk

  uint64_t depth_ = 0, code_depth_ = 0;
  bool in_segment_ = false;
  std::string language_, segment_;
  std::optional<std::string> source_, target_;  // of the current unit
  uint64_t unit_line_ = 0, units_ = 0, skipped_ = 0;
  std::map<std::string, uint64_t> languages_;  // how many texts
  std::string problem_;
  uint64_t problem_line_ = 0;
};

}  // namespace

std::unique_ptr<PairStream> open_tmx(const ParallelFiles& files) { return std::make_unique<TmxStream>(files); }

}  // namespace verbund
