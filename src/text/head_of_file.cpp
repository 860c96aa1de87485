// SPDX-License-Identifier: Apache-2.0
#include "text/head_of_file.h"

#include <unicode/unistr.h>

#include <algorithm>
#include <iterator>

#include "text/language.h"
#include "text/line_reader.h"

namespace verbund {
namespace {

constexpr std::string_view kColumnNames[] = {
    "source",   "target", "src",         "tgt",         "trg",         "input",     "output",    "reference", "ref",
    "sentence", "text",   "translation", "source_text", "target_text", "sentence1", "sentence2", "score",     "id"};
constexpr int kLinesOfProlog = 5;  // in which a document names its kind
constexpr size_t kLongestLine = 1000;

bool is_column_name(std::string_view cell) {
  std::string lower;
  icu::UnicodeString::fromUTF8(cell).trim().toLower().toUTF8String(lower);
  std::string name = lower;
  if (!name.empty() && name[0] >= 'a' && name[0] <= 'z') name[0] = static_cast<char>(name[0] - 'a' + 'A');
  return std::find(std::begin(kColumnNames), std::end(kColumnNames), lower) != std::end(kColumnNames) ||
         is_language(lower) || is_language(name);
}

}  // namespace

std::string head_of_file(const std::filesystem::path& path) {
  const auto source = open_bytes(path);
  std::string head(kHeadOfFile, '\0');
  size_t size = 0;
  while (size < kHeadOfFile) {
    const size_t more = source->read(head.data() + size, kHeadOfFile - size);
    if (more == 0) break;
    size += more;
  }
  head.resize(size);
  return head;
}

std::string markup_of(std::string_view head) {
  std::string prolog;
  for (int i = 0; i < kLinesOfProlog && !head.empty(); ++i) {
    const size_t end = std::min(head.find('\n'), head.size());
    prolog.append(head.substr(0, std::min(end, kLongestLine))).append(1, '\n');
    head.remove_prefix(std::min(end + 1, head.size()));
  }
  std::erase(prolog, '\0');  // of UTF-16
  const size_t begin = prolog.find_first_not_of(" \t\r\n\xEF\xBB\xBF\xFE\xFF");
  const std::string_view start = std::string_view(prolog).substr(std::min(begin, prolog.size()));
  const bool is_xml = start.starts_with("<?xml") || start.starts_with("<!DOCTYPE");
  if (start.starts_with("<tmx") || (is_xml && prolog.find("<tmx") != std::string::npos)) return "TMX";
  if (start.starts_with("<xliff") || (is_xml && prolog.find("<xliff") != std::string::npos)) return "XLIFF";
  return is_xml ? "XML" : "";
}

bool is_header(std::string_view first_source, std::string_view first_target) {
  return first_source != first_target && is_column_name(first_source) && is_column_name(first_target);
}

}  // namespace verbund
