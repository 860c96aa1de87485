// SPDX-License-Identifier: Apache-2.0
#include "demo/derivation.h"

namespace verbund::demo {
namespace {

// What is known where a template is written: the features of all nodes above, and whose features @^ stands for.
struct Context {
  Features features;
  const Node* antecedent = nullptr;
};

class Writer {
 public:
  explicit Writer(const Grammar& grammar) : grammar_(grammar) {}

  // A field that neither the rule nor a table of its category has is that of its first part.
  void write(const Node& node, const std::string& field, Context context) {
    const auto found = node.rule->fields.find(field);
    const auto table = grammar_.tables.find(fmt::format("{}.{}", node.rule->category, field));
    if (found != node.rule->fields.end()) {
      write_template(found->second, node, context);
    } else if (table != grammar_.tables.end()) {
      write_table(table->second, node, context);
    } else if (const Node* first = first_part(node)) {
      context.features.overlay(first->features);
      write(*first, field, context);
    }
  }

  std::string text;

 private:
  void write_template(const Template& of, const Node& node, const Context& context) {
    for (const Template::Piece& piece : of.pieces) {
      text += piece.text;
      if (piece.reference) write_reference(*piece.reference, of, node, context);
    }
  }

  void write_reference(const Reference& reference, const Template& in, const Node& node, Context context) {
    const auto [part, depth] = follow(node, reference.path);
    if (!part) return;
    if (part != &node) context.features.overlay(part->features);
    for (const Path& path : reference.features_of) {
      if (const Node* other = find_part(node, path, in.position)) context.features.overlay(other->features);
    }
    if (reference.features_of_antecedent && context.antecedent) context.features.overlay(context.antecedent->features);
    context.features.overlay(reference.features);
    if (reference.antecedent) context.antecedent = find_part(node, *reference.antecedent, in.position);

    const bool names_field = depth < reference.path.size();
    const std::string field = names_field ? fmt::format("{}-{}", in.language, reference.path[depth]) : in.language;
    if (depth + 1 < reference.path.size() || !grammar_.fields.contains(field)) {
      fail_at(in.position, "\"{}\" is not a part, field or table", fmt::join(reference.path, "."));
    }
    const auto table = grammar_.tables.find(field);
    if (depth == 0 && table != grammar_.tables.end() && !node.rule->fields.contains(field)) {
      write_table(table->second, node, context);
    } else {
      write(*part, field, context);
    }
  }

  void write_table(const FormTable& table, const Node& node, const Context& context) {
    for (const FormTable::Row& row : table.rows) {
      if (!context.features.includes(row.features)) continue;
      for (size_t i = 0; i < table.columns.size(); ++i) {
        if (context.features.includes(table.columns[i])) return write_template(row.cells[i], node, context);
      }
    }
    fail_at(table.position, "no row and column of the table fit");
  }

  const Grammar& grammar_;
};

// One blank between words, and one before the first: a replacement can tell where a word begins.
std::string with_single_blanks(std::string_view text) {
  std::string result = " ";
  for (const char letter : text) {
    if (letter != ' ' || result.back() != ' ') result += letter;
  }
  return result;
}

void replace_all(std::string& text, const Replacement& replacement) {
  for (size_t at = text.find(replacement.from); at != std::string::npos; at = text.find(replacement.from, at)) {
    text.replace(at, replacement.from.size(), replacement.to);
    at += replacement.to.size();
  }
}

void capitalise(std::string& text) {
  const bool is_umlaut = text.starts_with("ä") || text.starts_with("ö") || text.starts_with("ü");
  char& letter = text[is_umlaut ? 1 : 0];
  if (is_umlaut || (letter >= 'a' && letter <= 'z')) letter = static_cast<char>(letter - 0x20);
}

}  // namespace

std::string write_sentence(const Grammar& grammar, const Node& node, const std::string& language) {
  Writer writer(grammar);
  writer.write(node, language, {node.features, nullptr});
  std::string text = with_single_blanks(writer.text);
  if (const auto spelling = grammar.spelling.find(language); spelling != grammar.spelling.end()) {
    for (const Replacement& replacement : spelling->second) replace_all(text, replacement);
  }
  text.erase(0, 1);
  capitalise(text);
  return text;
}

}  // namespace verbund::demo
