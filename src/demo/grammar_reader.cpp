// SPDX-License-Identifier: Apache-2.0
// Reads words.txt and rules.txt.
#include <algorithm>
#include <regex>

#include "demo/grammar.h"

namespace verbund::demo {
namespace {

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// The pieces between separators, trimmed; empty ones are left out.
std::vector<std::string> split(std::string_view text, std::string_view separator = " ") {
  std::vector<std::string> pieces;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    if (const auto piece = trimmed(text.substr(0, end)); !piece.empty()) pieces.emplace_back(piece);
    text.remove_prefix(std::min(end + separator.size(), text.size()));
  }
  return pieces;
}

std::string language_of(std::string_view field) { return std::string(field.substr(0, field.find('-'))); }
bool is_field(std::string_view name) { return language_of(name) == "en" || language_of(name) == "de"; }

class GrammarReader {
 public:
  Grammar grammar;

  void read(const BuiltinFile& file) {
    position_ = {fmt::format("corpora/demo/{}.txt", file.name), 0};
    keyword_.clear();
    std::string_view text = file.text;
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      ++position_.line;
      line = line.substr(0, line.find('#'));
      if (trimmed(line).empty()) continue;
      if (line[0] == ' ') {
        read_indented(trimmed(line));
      } else {
        keyword_ = line.substr(0, line.find(' '));
        read_header(trimmed(line.substr(keyword_.size())));
      }
    }
  }

 private:
  struct Sides {
    std::string_view left, right;
  };
  Sides sides(std::string_view text, std::string_view separator) const {
    const size_t at = text.find(separator);
    if (at == std::string_view::npos) fail_at(position_, "there is no \"{}\" in \"{}\"", separator, text);
    return {trimmed(text.substr(0, at)), trimmed(text.substr(at + separator.size()))};
  }

  void read_header(std::string_view text) {
    if (keyword_ == "feature") return declare_feature(text);
    if (keyword_ == "class") return declare_classes(text);
    if (keyword_ == "words") return open_words(text);
    if (keyword_ == "table") return open_table(text);
    if (keyword_ == "rule") return open_rule(std::string(text));
    if (keyword_ != "spelling") {
      fail_at(position_, "unknown keyword \"{}\": use feature, class, words, table, rule or spelling", keyword_);
    }
    columns_ = split(text);
  }

  void read_indented(std::string_view text) {
    if (keyword_ == "words") return read_word(text);
    if (keyword_ == "table") return read_row(text);
    if (keyword_ == "rule") return read_field(text);
    if (keyword_ == "spelling") return read_replacements(text);
    fail_at(position_, "an indented line belongs to words, table, rule or spelling");
  }

  void declare_feature(std::string_view text) {
    if (++feature_count_ > Features::kMax) fail_at(position_, "there are more than {} features", Features::kMax);
    uint8_t value = 0;
    for (const std::string& name : split(sides(text, ":").right))
      declare(name).features.values[feature_count_ - 1] = ++value;
  }

  void declare_classes(std::string_view text) {
    for (const std::string& name : split(text)) {
      if (++class_count_ > 64) fail_at(position_, "there are more than 64 classes");
      declare(name).classes = Classes{1} << (class_count_ - 1);
    }
  }

  struct Atoms {
    Features features;
    Classes classes = 0;
  };
  Atoms& declare(const std::string& name) {
    const auto [atoms, is_new] = atoms_.try_emplace(name);
    if (!is_new) fail_at(position_, "\"{}\" is declared twice", name);
    return atoms->second;
  }

  // "Noun once : en-sg en-pl is"
  void open_words(std::string_view text) {
    const auto [left, right] = sides(text, " :");
    once_ = left.ends_with(" once");
    name_ = left.substr(0, left.find(' '));
    columns_ = split(right);
  }

  void read_word(std::string_view text) {
    const std::vector<std::string> cells = split(text, "  ");
    if (cells.size() != columns_.size()) {
      fail_at(position_, "{} cells in {} columns: two blanks part cells, and - is an empty one", cells.size(),
              columns_.size());
    }
    GrammarRule word{.category = name_, .is_word = true, .once = once_, .position = position_};
    for (size_t i = 0; i < cells.size(); ++i) {
      const std::string cell = cells[i] == "-" ? "" : cells[i];
      if (is_field(columns_[i])) {
        add_field(word, columns_[i], cell);
      } else if (columns_[i] == "is") {
        const Atoms atoms = read_atoms(cell);
        word.features = atoms.features;
        word.classes = atoms.classes;
      } else {
        word.neighbours[columns_[i]] = read_atoms(cell).classes;
      }
    }
    grammar.categories[name_].push_back(std::move(word));
  }

  // "de-the : pl  m  f  n", or in one line: "en-was : 1 sg: was | : were"
  void open_table(std::string_view text) {
    const auto [left, right] = sides(text, " :");
    name_ = left;
    const std::string field = name_.substr(name_.find('.') + 1);
    if (!is_field(field)) fail_at(position_, "the name of a table begins with en or de, not as in \"{}\"", field);
    grammar.fields.insert(field);
    FormTable table{.language = language_of(field), .position = position_};
    const bool is_one_line = right.find(':') != std::string_view::npos;
    for (const std::string& column : split(is_one_line ? "" : right, "  ")) {
      table.columns.push_back(read_features(column));
    }
    if (table.columns.empty()) table.columns.emplace_back();
    if (!grammar.tables.try_emplace(name_, table).second) fail_at(position_, "there is a table \"{}\" already", name_);
    for (const std::string& row : split(is_one_line ? right : "", "|")) read_row(row);
  }

  void read_row(std::string_view text) {
    FormTable& table = grammar.tables.at(name_);
    const auto [left, right] = sides(text, ":");
    FormTable::Row row{.features = read_features(left)};
    const bool is_list = table.columns.size() == 1;
    for (const std::string& cell : is_list ? std::vector{std::string(right)} : split(right, "  ")) {
      row.cells.push_back(read_template(cell == "-" ? "" : cell, table.language));
    }
    if (row.cells.size() != table.columns.size()) {
      fail_at(position_, "{} cells in {} columns", row.cells.size(), table.columns.size());
    }
    table.rows.push_back(std::move(row));
  }

  // "NP[3 sg @n] 4 : n:Noun(*) a:Adj?30(@n)"
  void open_rule(const std::string& text) {
    static const std::regex kRule(R"((\w+)(?:\[(.*?)\])?(?: (\d+))? :(.*))");
    static const std::regex kPart(R"(^ *(\w+):(\w+)(?:\?(\d+))?(?:\((.*?)\))?)");
    std::smatch found;
    if (!std::regex_match(text, found, kRule)) fail_at(position_, "expected CATEGORY[FEATURES] WEIGHT : PARTS");
    GrammarRule rule{.category = name_ = found[1], .position = position_};
    for (const std::string& entry : split(found[2].str())) {
      if (entry[0] == '@') {
        rule.features_of.push_back(split(entry.substr(1), "."));
      } else {
        rule.features.overlay(read_features(entry));
      }
    }
    if (found[3].matched) rule.weight = std::stoi(found[3]);
    for (std::string parts = found[4]; !parts.empty(); parts = found.suffix()) {
      if (!std::regex_search(parts, found, kPart))
        fail_at(position_, "expected NAME:CATEGORY(DEMANDS) at \"{}\"", parts);
      rule.parts.push_back({.name = found[1], .category = found[2]});
      if (found[3].matched) rule.parts.back().percent = std::stoi(found[3]);
      read_demands(rule.parts.back(), found[4].str());
    }
    grammar.categories[name_].push_back(std::move(rule));
  }

  void read_demands(Part& part, const std::string& text) const {
    for (const std::string& entry : split(text, ",")) {
      if (entry == "*") {
        part.inherits_demand = true;
      } else if (entry[0] == '@') {
        part.fits.push_back(split(entry.substr(1), "."));
      } else {
        const Atoms atoms = read_atoms(entry);
        part.demand.features.overlay(atoms.features);
        if (atoms.classes) part.demand.classes.push_back(atoms.classes);
      }
    }
  }

  void read_field(std::string_view text) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string field(text.substr(0, end));
    if (!is_field(field)) fail_at(position_, "the name of a field begins with en or de, not as in \"{}\"", field);
    add_field(grammar.categories[name_].back(), field, trimmed(text.substr(end)));
  }

  void add_field(GrammarRule& rule, const std::string& field, std::string_view text) {
    grammar.fields.insert(field);
    rule.fields[field] = read_template(text, language_of(field));
  }

  // "_in_~das => _ins | _an_~das => _ans"
  void read_replacements(std::string_view text) {
    for (const std::string& entry : split(text, "|")) {
      const auto [from, to] = sides(entry, "=>");
      Replacement replacement{std::string(from), std::string(to)};
      if (from.empty()) fail_at(position_, "there is nothing to replace");
      for (std::string* side : {&replacement.from, &replacement.to}) std::replace(side->begin(), side->end(), '_', ' ');
      for (const std::string& language : columns_) grammar.spelling[language].push_back(replacement);
    }
  }

  Atoms read_atoms(std::string_view text) const {
    Atoms atoms;
    for (const std::string& name : split(text)) {
      const auto found = atoms_.find(name);
      if (found == atoms_.end()) fail_at(position_, "\"{}\" is neither a feature nor a class", name);
      atoms.features.overlay(found->second.features);
      atoms.classes |= found->second.classes;
    }
    return atoms;
  }

  Features read_features(std::string_view text) const {
    const Atoms atoms = read_atoms(text);
    if (atoms.classes) fail_at(position_, "there is a class among the features \"{}\"", text);
    return atoms.features;
  }

  Template read_template(std::string_view text, const std::string& language) const {
    Template result{.language = language, .position = position_};
    while (!text.empty()) {
      const size_t open = std::min(text.find('{'), text.size());
      Template::Piece& piece = result.pieces.emplace_back(Template::Piece{.text = std::string(text.substr(0, open))});
      if (open == text.size()) break;
      const size_t close = text.find('}', open);
      if (close == std::string_view::npos) fail_at(position_, "there is no \"}}\" after \"{}\"", text.substr(open));
      piece.reference = read_reference(split(text.substr(open + 1, close - open - 1)));
      text.remove_prefix(close + 1);
    }
    return result;
  }

  Reference read_reference(const std::vector<std::string>& entries) const {
    if (entries.empty()) fail_at(position_, "there is nothing between the braces");
    Reference reference{.path = split(entries[0], ".")};
    for (size_t i = 1; i < entries.size(); ++i) {
      const std::string& entry = entries[i];
      if (entry == "@^") {
        reference.features_of_antecedent = true;
      } else if (entry[0] == '@') {
        reference.features_of.push_back(split(entry.substr(1), "."));
      } else if (entry[0] == '^') {
        reference.antecedent = split(entry.substr(1), ".");
      } else {
        reference.features.overlay(read_features(entry));
      }
    }
    return reference;
  }

  std::map<std::string, Atoms, std::less<>> atoms_;
  size_t feature_count_ = 0, class_count_ = 0;

  Position position_;
  std::string keyword_, name_;        // of the open block
  std::vector<std::string> columns_;  // of words; the languages of spelling
  bool once_ = false;
};

}  // namespace

Grammar read_grammar(std::span<const BuiltinFile> files) {
  GrammarReader reader;
  for (const BuiltinFile& file : files) reader.read(file);
  return std::move(reader.grammar);
}

}  // namespace verbund::demo
