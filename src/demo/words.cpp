// The small tables of the demo lexicon: modals, names, regions, adverbs of manner.
#include "core/error.h"
#include "demo/lexicon.h"

namespace verbund::demo {
namespace {

constexpr Gender M = Gender::kMasculine, F = Gender::kFeminine;

// clang-format off
// A missing past: the modal is used in the present only.
constexpr Modal kModals[] = {
    {"can", "could", "", false, "können", "kann", "konnte"},
    {"have", "had", "to", true, "müssen", "muss", "musste"},
    {"want", "wanted", "to", true, "wollen", "will", "wollte"},
    {"be", "was", "allowed to", false, "dürfen", "darf", "durfte"},
    {"should", "", "", false, "sollen", "sollte", ""},
    {"would", "", "like to", false, "mögen", "möchte", ""},
    {"like", "liked", "to", true, "", "", ""},
};

constexpr Name kNames[] = {
    {"Anna", F}, {"Maria", F}, {"Julia", F}, {"Laura", F}, {"Sophie", F}, {"Lena", F}, {"Emma", F}, {"Sarah", F},
    {"Lisa", F}, {"Eva", F}, {"Clara", F}, {"Peter", M}, {"Paul", M}, {"Michael", M}, {"Martin", M}, {"David", M},
    {"Jan", M}, {"Daniel", M}, {"Leon", M}, {"Robert", M}, {"Simon", M}, {"Stefan", M},
};

constexpr Region kRegions[] = {
    {"Berlin", "in Berlin", "nach Berlin"},
    {"Hamburg", "in Hamburg", "nach Hamburg"},
    {"Dresden", "in Dresden", "nach Dresden"},
    {"Munich", "in München", "nach München"},
    {"Cologne", "in Köln", "nach Köln"},
    {"Vienna", "in Wien", "nach Wien"},
    {"Zurich", "in Zürich", "nach Zürich"},
    {"London", "in London", "nach London"},
    {"Paris", "in Paris", "nach Paris"},
    {"Rome", "in Rom", "nach Rom"},
    {"Prague", "in Prag", "nach Prag"},
    {"Germany", "in Deutschland", "nach Deutschland"},
    {"France", "in Frankreich", "nach Frankreich"},
    {"Italy", "in Italien", "nach Italien"},
    {"Spain", "in Spanien", "nach Spanien"},
    {"Austria", "in Österreich", "nach Österreich"},
    {"Poland", "in Polen", "nach Polen"},
    {"Switzerland", "in der Schweiz", "in die Schweiz"},
};

constexpr MannerAdverb kMannerAdverbs[] = {
    {"quickly", "schnell", kQuick}, {"slowly", "langsam", kQuick}, {"carefully", "vorsichtig", kCareful},
    {"loudly", "laut", kLoud},      {"quietly", "leise", kLoud},   {"well", "gut", kWell},
    {"badly", "schlecht", kWell},   {"thoroughly", "gründlich", kThorough},
};
// clang-format on

}  // namespace

std::span<const Modal> modals() { return kModals; }
std::span<const Name> names() { return kNames; }
std::span<const Region> regions() { return kRegions; }
std::span<const MannerAdverb> manner_adverbs() { return kMannerAdverbs; }

const Modal& modal(std::string_view en) {
  for (const Modal& entry : kModals) {
    if (entry.en == en) return entry;
  }
  fail("the demo lexicon has no modal '{}'", en);
}

const Name& name(std::string_view text) {
  for (const Name& entry : kNames) {
    if (entry.text == text) return entry;
  }
  fail("the demo lexicon has no name '{}'", text);
}

}  // namespace verbund::demo
