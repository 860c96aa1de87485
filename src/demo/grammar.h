// SPDX-License-Identifier: Apache-2.0
// Grammar holds the words and the paired rules of the demo corpus, as read from text files.
//
// A sentence is derived once, as a tree of rules, and written twice: a rule has fields of both languages ("en",
// "en-past", "de", "de-sub"). corpora/demo/rules.txt explains the notation.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/builtin_file.h"
#include "core/error.h"

namespace verbund {

// words.txt and rules.txt of corpora/demo (cmake/builtin_files.cmake compiles them in).
std::span<const BuiltinFile> builtin_demo_files();

}  // namespace verbund

namespace verbund::demo {

// One value, or none (0), of every feature: "acc" of case, "pl" of number.
struct Features {
  static constexpr size_t kMax = 16;
  std::array<uint8_t, kMax> values{};

  void overlay(const Features& other);              // its values win
  bool is_compatible(const Features& other) const;  // no feature has two different values
  bool includes(const Features& other) const;
};

using Classes = uint64_t;  // a set of semantic classes, one bit each

struct Position {
  std::string file;
  int line = 0;
};

template <typename... Args>
[[noreturn]] void fail_at(const Position& position, fmt::format_string<Args...> format, Args&&... args) {
  fail("{}:{}: {}", position.file, position.line, fmt::format(format, std::forward<Args>(args)...));
}

// The way from a node to one of its descendants, perhaps to a field of it: "g.v.past".
using Path = std::vector<std::string>;

// "{g.v.past 3 sg @s ^o}": the field "past" of the part g.v with the features 3, sg and those of the part s;
// inside it, @^ stands for the features of the part o.
struct Reference {
  Path path;
  Features features;
  std::vector<Path> features_of;
  bool features_of_antecedent = false;
  std::optional<Path> antecedent;  // an empty path: the rule itself
};

struct Template {
  struct Piece {
    std::string text;  // stands before the reference
    std::optional<Reference> reference;
  };
  std::string language;
  std::vector<Piece> pieces;
  Position position;
};

// The first row and the first column whose features are given choose the cell.
struct FormTable {
  struct Row {
    Features features;
    std::vector<Template> cells;
  };
  std::string language;
  std::vector<Features> columns;
  std::vector<Row> rows;
  Position position;
};

// What is demanded of a part: features that do not conflict and, of a word, a class of each set.
struct Demand {
  Features features;
  std::vector<Classes> classes;
};

struct Part {
  std::string name, category;
  int percent = 100;  // of the sentences have it
  Demand demand;
  bool inherits_demand = false;  // "*": what is demanded of the rule itself
  std::vector<Path> fits;        // a part, or a column of a word
};

// One way to make a category. A word is a rule without parts.
struct GrammarRule {
  std::string category;
  int weight = 1;
  bool is_word = false;
  bool once = false;  // not twice in a sentence
  Features features;
  std::vector<Path> features_of;
  Classes classes = 0;
  std::map<std::string, Classes, std::less<>> neighbours;  // a column: the classes of what may stand beside the word
  std::vector<Part> parts;
  std::map<std::string, Template, std::less<>> fields;
  Position position;
};

struct Replacement {
  std::string from, to;
};

struct Grammar {
  std::map<std::string, std::vector<GrammarRule>, std::less<>> categories;
  std::map<std::string, FormTable, std::less<>> tables;  // "de-the", and of a category of words: "Verb.en-past"
  std::map<std::string, std::vector<Replacement>, std::less<>> spelling;  // by language
  std::set<std::string, std::less<>> fields;                              // the names of all
};

// Reads the files; an Error names file and line.
Grammar read_grammar(std::span<const BuiltinFile> files);

}  // namespace verbund::demo
