// SPDX-License-Identifier: Apache-2.0
#include "demo/derivation.h"

#include <algorithm>

namespace verbund::demo {
namespace {

// None if there is no such part, or not yet.
std::optional<size_t> number_of_part(const Node& node, std::string_view name) {
  for (size_t i = 0; i < node.parts.size(); ++i) {
    if (node.rule->parts[i].name == name) return i;
  }
  return std::nullopt;
}

class Deriver {
 public:
  Deriver(const Grammar& grammar, Random& random) : grammar_(grammar), random_(random) {}

  // Rules are tried in random order, by their weights, until one can be completed.
  std::unique_ptr<Node> derive(const std::vector<GrammarRule>& rules, const Demand& demand) {
    std::vector<const GrammarRule*> candidates;
    uint64_t total = 0;
    for (const GrammarRule& rule : rules) {
      if (!fits(rule, demand)) continue;
      candidates.push_back(&rule);
      total += static_cast<uint64_t>(rule.weight);
    }
    while (!candidates.empty()) {
      uint64_t point = total == 0 ? 0 : random_.below(total);
      auto chosen = candidates.begin();
      while (total > 0 && point >= static_cast<uint64_t>((*chosen)->weight)) {
        point -= static_cast<uint64_t>((*chosen++)->weight);
      }
      const size_t used_before = used_.size();
      if (auto node = complete(**chosen, demand)) return node;
      used_.resize(used_before);
      total -= static_cast<uint64_t>((*chosen)->weight);
      candidates.erase(chosen);
    }
    return nullptr;
  }

 private:
  bool fits(const GrammarRule& rule, const Demand& demand) const {
    if (!rule.features.is_compatible(demand.features)) return false;
    if (!rule.is_word) return true;
    if (rule.once && std::find(used_.begin(), used_.end(), &rule) != used_.end()) return false;
    return rule.classes == 0 || std::all_of(demand.classes.begin(), demand.classes.end(),
                                            [&](Classes classes) { return (classes & rule.classes) != 0; });
  }

  std::unique_ptr<Node> complete(const GrammarRule& rule, const Demand& demand) {
    auto node = std::make_unique<Node>(Node{&rule, demand.features, {}});
    if (rule.is_word) used_.push_back(&rule);
    for (const Part& part : rule.parts) {
      const auto rules = grammar_.categories.find(part.category);
      if (rules == grammar_.categories.end()) fail_at(rule.position, "there is no category \"{}\"", part.category);
      const bool wanted = part.percent == 100 || random_.below(100) < static_cast<uint64_t>(part.percent);
      auto child = wanted ? derive(rules->second, demand_of(part, *node, demand)) : nullptr;
      if (!child && part.percent == 100) return nullptr;
      node->parts.push_back(std::move(child));
    }
    for (const Path& path : rule.features_of) {
      if (const Node* part = find_part(*node, path, rule.position)) node->features.overlay(part->features);
    }
    node->features.overlay(rule.features);
    return node;
  }

  static Demand demand_of(const Part& part, const Node& node, const Demand& inherited) {
    Demand demand = part.inherits_demand ? inherited : Demand{};
    demand.features.overlay(part.demand.features);
    demand.classes.insert(demand.classes.end(), part.demand.classes.begin(), part.demand.classes.end());
    for (const Path& path : part.fits) add_demand(demand, node, path);
    return demand;
  }

  // The features of a phrase, the classes of a word, or those of what may stand beside the word.
  static void add_demand(Demand& demand, const Node& node, const Path& path) {
    auto [other, depth] = follow(node, path);
    if (!other) return;
    if (depth == path.size()) {
      if (other->rule->is_word) demand.classes.push_back(other->rule->classes);
      if (!other->rule->is_word) demand.features.overlay(other->features);
      return;
    }
    while (const Node* first = first_part(*other)) other = first;
    const auto column = other->rule->neighbours.find(path[depth]);
    if (column == other->rule->neighbours.end() || depth + 1 < path.size()) {
      fail_at(node.rule->position, "\"{}\" is neither a part nor a column", fmt::join(path, "."));
    }
    demand.classes.push_back(column->second);
  }

  const Grammar& grammar_;
  Random& random_;
  std::vector<const GrammarRule*> used_;
};

}  // namespace

void Features::overlay(const Features& other) {
  for (size_t i = 0; i < kMax; ++i) {
    if (other.values[i]) values[i] = other.values[i];
  }
}

bool Features::is_compatible(const Features& other) const {
  Features both = *this;
  both.overlay(other);
  return both.includes(*this);
}

bool Features::includes(const Features& other) const {
  Features both = *this;
  both.overlay(other);
  return both.values == values;
}

const Node* first_part(const Node& node) { return node.parts.empty() ? nullptr : node.parts[0].get(); }

Descendant follow(const Node& node, const Path& path) {
  const Node* at = &node;
  for (size_t depth = 0; depth < path.size(); ++depth) {
    const Node* owner = at;
    std::optional<size_t> number;
    while (owner && !(number = number_of_part(*owner, path[depth]))) owner = first_part(*owner);
    if (!owner) return {at, depth};
    at = owner->parts[*number].get();
    if (!at) return {nullptr, path.size()};
  }
  return {at, path.size()};
}

const Node* find_part(const Node& node, const Path& path, const Position& position) {
  const auto [part, depth] = follow(node, path);
  if (depth < path.size()) fail_at(position, "there is no part \"{}\"", fmt::join(path, "."));
  return part;
}

std::unique_ptr<Node> derive(const Grammar& grammar, const std::string& category, Random& random,
                             const Demand& demand) {
  return Deriver(grammar, random).derive(grammar.categories.at(category), demand);
}

}  // namespace verbund::demo
