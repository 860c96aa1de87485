// The words of the demo corpus: English and German side by side, one German word for every
// English one in its context, with all that inflection and good sense need to know.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace verbund::demo {

enum class Gender : uint8_t { kMasculine, kFeminine, kNeuter };
enum class Case : uint8_t { kNominative, kAccusative, kDative, kGenitive };

// Semantic classes keep sentences sensible: a verb says what its subject and object may be,
// an adjective what it may describe. A word may be in several.
using Classes = uint64_t;
constexpr Classes kAdult = 1u << 0, kChild = 1u << 1, kPet = 1u << 2, kWild = 1u << 3, kFood = 1u << 4,
                  kDish = 1u << 5, kPastry = 1u << 6, kDrink = 1u << 7, kText = 1u << 8,
                  kPublication = 1u << 9, kTale = 1u << 10, kSong = 1u << 11, kVehicle = 1u << 12,
                  kTransit = 1u << 13, kBuilding = 1u << 14, kRoom = 1u << 15, kFurniture = 1u << 16,
                  kThing = 1u << 17, kClothing = 1u << 18, kOpening = 1u << 19, kDevice = 1u << 20,
                  kPlant = 1u << 21, kTopic = 1u << 22, kEvent = 1u << 23, kShow = 1u << 24,
                  kCircumstance = 1u << 25, kLandmark = 1u << 26, kRelation = 1u << 27, kTask = 1u << 28,
                  kVenue = 1u << 29, kPicture = 1u << 30, kFeature = Classes{1} << 31,
                  kToy = Classes{1} << 32, kContest = Classes{1} << 33, kHome = Classes{1} << 34,
                  kInquiry = Classes{1} << 35;
constexpr Classes kPerson = kAdult | kChild, kAnimal = kPet | kWild, kAnimate = kPerson | kAnimal;
constexpr Classes kReadable = kText | kPublication;

// How one is at a place and goes to it: "at the station" / "to the station".
enum class PlaceKind : uint8_t { kNone, kInInto, kInTo, kInZu, kAtIn, kAtAn, kOnAn, kOnAuf, kAtAuf };
struct PlacePattern {
  const char *en_at, *de_at;  // the German one with the dative
  const char *en_to, *de_to;
  Case to_case;
};
const PlacePattern &place_pattern(PlaceKind kind);

constexpr uint8_t kMass = 1;      // no plural, no "a": "milk"
constexpr uint8_t kSingular = 2;  // no plural
constexpr uint8_t kJob = 4;       // what somebody can be: "a good doctor"

struct Noun {
  const char *en, *en_plural;
  const char *de, *de_plural;
  Gender gender;
  // The genitive ending of the singular. Weak nouns end in "n" or "en", in every case but the nominative.
  const char *ending;
  Classes classes;
  uint8_t flags = 0;
  PlaceKind place = PlaceKind::kNone;
  Classes owners = 0;  // a feature of what: "the colour of the car"

  bool has(uint8_t flag) const { return (flags & flag) != 0; }
  bool is_weak() const { return std::string_view(ending).ends_with('n'); }
};

struct Adjective {
  const char *en, *en_comparative, *en_superlative;  // no degrees if these are empty
  const char *de, *de_stem;                          // "teuer", but "ein teur-es Auto"
  const char *de_comparative, *de_superlative;
  Classes classes;
  bool passing = false;  // a state that comes and goes: "tired today", but not "old today"
  // With a complement ("proud of" / "stolz auf"): its prepositions, its case and what it may be.
  const char *en_preposition = nullptr, *de_preposition = nullptr;
  Case complement_case = Case::kAccusative;
  Classes complements = 0;

  bool is_gradable() const { return *en_comparative != '\0'; }
};

enum class Frame : uint8_t {
  kIntransitive,
  kTransitive,
  kDative,         // the one object in the dative: helfen
  kDitransitive,   // dative and accusative
  kPrepositional,  // the one object behind a preposition: warten auf
  kMotion,         // needs a goal
  kPosition,       // needs a place
  kPlacing,        // needs an object and a goal
  kReport,         // needs a clause (that, whether)
  kIntention,      // needs an infinitive
  kCopula,
  kExistence,
  kPrice,
  kWeather,
};

constexpr uint32_t kSein = 1u << 0;        // perfect with "sein"
constexpr uint32_t kSimplePast = 1u << 1;  // English past becomes Präteritum, not Perfekt
constexpr uint32_t kStative = 1u << 2;     // no progressive
constexpr uint32_t kPunctual = 1u << 3;    // no progressive and nothing one can intend
constexpr uint32_t kPlaceable = 1u << 4;   // may be said to happen somewhere
constexpr uint32_t kSocial = 1u << 5;      // may be done with somebody
constexpr uint32_t kQuick = 1u << 6;       // manners that suit
constexpr uint32_t kCareful = 1u << 7;
constexpr uint32_t kLoud = 1u << 8;
constexpr uint32_t kWell = 1u << 9;
constexpr uint32_t kForSomebody = 1u << 10;  // may be done for somebody
constexpr uint32_t kToRecipient = 1u << 11;  // "explains it to him", not "explains him it"
constexpr uint32_t kPassive = 1u << 12;      // sounds well in the passive
constexpr uint32_t kDativeSich = 1u << 13;   // "ich sehe mir ... an"
constexpr uint32_t kTakesThat = 1u << 14;    // clauses it takes
constexpr uint32_t kTakesWhether = 1u << 15;
constexpr uint32_t kTakesGerund = 1u << 16;  // "stops reading", not "stops to read"
constexpr uint32_t kAddressee = 1u << 17;    // a report or an intention that has a person as object
constexpr uint32_t kAbroad = 1u << 18;       // motion: its goal is a city or a country
constexpr uint32_t kThorough = 1u << 20;
constexpr uint32_t kOnFurniture = 1u << 21;  // position: on the sofa, under the table
constexpr uint32_t kByLandmark = 1u << 22;   // position: in front of the house
constexpr uint32_t kOnce = 1u << 23;         // nobody does it regularly
constexpr uint32_t kAsksWhereTo = 1u << 24;  // "Where is he going?"
constexpr uint32_t kOpinion = 1u << 25;      // a reason to do something with a thing: to like it
constexpr uint32_t kByVehicle = 1u << 26;    // motion: by train, by car
constexpr uint32_t kNearby = 1u << 19;       // motion: its goal is a place in town

struct Verb {
  // "get up": the first word is inflected. "pick|up": the particle stands behind a pronoun.
  const char *en, *en_past, *en_participle, *en_ing;
  // "auf|stehen" is separable, "sich freuen" reflexive, "Klavier |spielen" written apart.
  // Present and Präteritum are those of "er", without prefix; the participle is whole.
  const char *de, *de_present, *de_preterite, *de_participle;
  const char *de_imperative;  // empty: nobody asks for it
  Frame frame;
  Classes subjects, objects = 0;
  uint32_t flags = 0;
  const char *de_preposition = nullptr;  // of the object
  Case object_case = Case::kAccusative;

  bool is(uint32_t flag) const { return (flags & flag) != 0; }
};

// Helpers of an infinitive. One without German forms is the adverb "gern".
struct Modal {
  const char *en, *en_third, *en_past, *en_link;
  bool needs_do;
  const char *de, *de_present, *de_preterite;

  bool has_past() const { return *en_past != '\0'; }
  bool is_gern() const { return *de == '\0'; }
};

struct Name {
  const char *text;
  Gender gender;
};

struct WordPair {
  const char *en, *de;
};

struct MannerAdverb {
  const char *en, *de;
  uint32_t suits;  // flags of verbs
};

// Cities and countries: "in Berlin" and "nach Berlin", but "in die Schweiz".
struct Region {
  const char *en;
  const char *de_in, *de_to;
};

std::span<const Noun> nouns();
std::span<const Adjective> adjectives();
std::span<const Adjective> colours();
std::span<const Adjective> attitudes();  // adjectives with a complement
std::span<const Verb> verbs();
std::span<const Modal> modals();
std::span<const Name> names();
std::span<const Region> regions();
std::span<const MannerAdverb> manner_adverbs();

// By English base form; fails if there is none.
const Noun &noun(std::string_view en);
const Adjective &adjective(std::string_view en);
const Verb &verb(std::string_view en, Frame frame);
const Modal &modal(std::string_view en);
const Name &name(std::string_view text);

}  // namespace verbund::demo
