// SPDX-License-Identifier: Apache-2.0
// Node is the tree of rules and words behind one sentence; written in both languages, it is a sentence pair.
#pragma once

#include <memory>

#include "core/random.h"
#include "demo/grammar.h"

namespace verbund::demo {

struct Node {
  const GrammarRule* rule;
  Features features;
  std::vector<std::unique_ptr<Node>> parts;  // nullptr: left out
};

const Node* first_part(const Node& node);  // or nullptr

// The descendant at the end of a path, and how many names of the path lead there: the next one is not a part.
// What a node does not have is looked for in its first part. A part that was left out is nullptr.
struct Descendant {
  const Node* node;
  size_t depth;
};
Descendant follow(const Node& node, const Path& path);

// The same where all names must be parts; else it fails at the position.
const Node* find_part(const Node& node, const Path& path, const Position& position);

// Draws rules and words at random until the tree is complete; nullptr: none fits the demand.
std::unique_ptr<Node> derive(const Grammar& grammar, const std::string& category, Random& random,
                             const Demand& demand = {});

// The node as a sentence of a language ("en" or "de"): spelled, and with a capital letter.
std::string write_sentence(const Grammar& grammar, const Node& node, const std::string& language);

}  // namespace verbund::demo
