// The words of the demo corpus: English and German side by side, one German word for every
// English one in its context, with all that inflection and good sense need to know.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace verbund::demo {

using Text = const char*;  // a literal

enum class Gender : uint8_t { kMasculine, kFeminine, kNeuter };
enum class Case : uint8_t { kNominative, kAccusative, kDative, kGenitive };

// Semantic classes keep sentences sensible: a verb says what its subject and object may be,
// an adjective what it may describe. A word may be in several.
using Classes = uint64_t;
constexpr Classes kAdult = Classes{1} << 0;
constexpr Classes kChild = Classes{1} << 1;
constexpr Classes kRelation = Classes{1} << 2;  // somebody's brother, neighbour, ...
constexpr Classes kPet = Classes{1} << 3;       // animals that live with people
constexpr Classes kWild = Classes{1} << 4;
constexpr Classes kFood = Classes{1} << 5;
constexpr Classes kDish = Classes{1} << 6;    // what is cooked
constexpr Classes kPastry = Classes{1} << 7;  // what is baked
constexpr Classes kDrink = Classes{1} << 8;
constexpr Classes kText = Classes{1} << 9;          // what people write to each other and for themselves
constexpr Classes kPublication = Classes{1} << 10;  // what is only bought and read
constexpr Classes kTale = Classes{1} << 11;         // what is told
constexpr Classes kSong = Classes{1} << 12;
constexpr Classes kTask = Classes{1} << 13;  // what is learned
constexpr Classes kVehicle = Classes{1} << 14;
constexpr Classes kTransit = Classes{1} << 15;  // what one waits for: trains, buses
constexpr Classes kBuilding = Classes{1} << 16;
constexpr Classes kVenue = Classes{1} << 17;  // places worth a visit
constexpr Classes kHome = Classes{1} << 18;   // places to live
constexpr Classes kRoom = Classes{1} << 19;
constexpr Classes kLandmark = Classes{1} << 20;  // what one stands in front of
constexpr Classes kFurniture = Classes{1} << 21;
constexpr Classes kOpening = Classes{1} << 22;  // what is opened and closed
constexpr Classes kThing = Classes{1} << 23;    // what fits into a bag
constexpr Classes kToy = Classes{1} << 24;
constexpr Classes kPicture = Classes{1} << 25;
constexpr Classes kDevice = Classes{1} << 26;  // what is turned on and off
constexpr Classes kClothing = Classes{1} << 27;
constexpr Classes kPlant = Classes{1} << 28;
constexpr Classes kTopic = Classes{1} << 29;    // what one thinks about
constexpr Classes kInquiry = Classes{1} << 30;  // what is answered
constexpr Classes kEvent = Classes{1} << 31;
constexpr Classes kContest = Classes{1} << 32;       // what one takes part in
constexpr Classes kShow = Classes{1} << 33;          // what one watches
constexpr Classes kCircumstance = Classes{1} << 34;  // because of which or despite which something happens
constexpr Classes kFeature = Classes{1} << 35;       // what belongs to something: its colour, its price
constexpr Classes kPerson = kAdult | kChild, kAnimal = kPet | kWild, kAnimate = kPerson | kAnimal;
constexpr Classes kReadable = kText | kPublication;

// How one is at a place and goes to it: "at the station" / "to the station".
enum class PlaceKind : uint8_t { kNone, kInInto, kInTo, kInZu, kAtIn, kAtAn, kOnAn, kOnAuf, kAtAuf };
struct PlacePattern {
  Text en_at, de_at;  // the German one with the dative
  Text en_to, de_to;
  Case to_case;
};
const PlacePattern& place_pattern(PlaceKind kind);

constexpr uint8_t kMass = 1;      // no plural, no "a": "milk"
constexpr uint8_t kSingular = 2;  // no plural
constexpr uint8_t kJob = 4;       // what somebody can be: "a good doctor"

struct Noun {
  Text en, en_plural;
  Text de, de_plural;
  Gender gender;
  // The genitive ending of the singular. Weak nouns end in "n" or "en", in every case but the nominative.
  Text ending;
  Classes classes;
  uint8_t flags = 0;
  PlaceKind place = PlaceKind::kNone;
  Classes owners = 0;  // a feature of what: "the colour of the car"

  bool has(uint8_t flag) const { return (flags & flag) != 0; }
  bool is_weak() const { return std::string_view(ending).ends_with('n'); }
};

struct Adjective {
  Text en, en_comparative, en_superlative;  // no degrees if these are empty
  Text de, de_stem;                         // "teuer", but "ein teur-es Auto"
  Text de_comparative, de_superlative;
  Classes classes;
  bool passing = false;  // a state that comes and goes: "tired today", but not "old today"
  // With a complement ("proud of" / "stolz auf"): its prepositions, its case and what it may be.
  Text en_preposition = nullptr, de_preposition = nullptr;
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

// What verbs are like.
constexpr uint32_t kSein = 1u << 0;          // perfect with "sein"
constexpr uint32_t kSimplePast = 1u << 1;    // English past becomes Präteritum, not Perfekt
constexpr uint32_t kStative = 1u << 2;       // no progressive, no adverbial of time
constexpr uint32_t kPunctual = 1u << 3;      // no progressive, and nothing one can intend
constexpr uint32_t kOnce = 1u << 4;          // nobody does it regularly
constexpr uint32_t kPassive = 1u << 5;       // sounds well in the passive
constexpr uint32_t kDativeSich = 1u << 6;    // "ich sehe mir ... an"
constexpr uint32_t kPlaceable = 1u << 7;     // may be said to happen somewhere
constexpr uint32_t kSocial = 1u << 8;        // may be done with somebody
constexpr uint32_t kForSomebody = 1u << 9;   // may be done for somebody
constexpr uint32_t kToRecipient = 1u << 10;  // "explains it to him", not "explains him it"
constexpr uint32_t kOpinion = 1u << 11;      // a reason to do something with a thing: to like it
constexpr uint32_t kQuick = 1u << 12;        // manners that suit
constexpr uint32_t kCareful = 1u << 13;
constexpr uint32_t kThorough = 1u << 14;
constexpr uint32_t kLoud = 1u << 15;
constexpr uint32_t kWell = 1u << 16;
constexpr uint32_t kTakesThat = 1u << 17;  // reports: the clauses they take
constexpr uint32_t kTakesWhether = 1u << 18;
constexpr uint32_t kTakesGerund = 1u << 19;  // intentions: "stops reading", not "stops to read"
constexpr uint32_t kAddressee = 1u << 20;    // reports and intentions with a person as object
constexpr uint32_t kNearby = 1u << 21;       // motion: the goal is a place in town
constexpr uint32_t kAbroad = 1u << 22;       // motion: the goal is a city or a country
constexpr uint32_t kByVehicle = 1u << 23;    // motion: by train, by car
constexpr uint32_t kAsksWhereTo = 1u << 24;  // motion: "Where is he going?"
constexpr uint32_t kOnFurniture = 1u << 25;  // position: on the sofa, under the table
constexpr uint32_t kByLandmark = 1u << 26;   // position: in front of the house

struct Verb {
  // "get up": the first word is inflected. "pick|up": the particle stands behind a pronoun.
  Text en, en_past, en_participle, en_ing;
  // "auf|stehen" is separable, "sich freuen" reflexive, "Klavier |spielen" written apart.
  // Present and Präteritum are those of "er", without prefix; the participle is whole.
  Text de, de_present, de_preterite, de_participle;
  Text de_imperative;  // empty: nobody asks for it
  Frame frame;
  Classes subjects, objects = 0;
  uint32_t flags = 0;
  Text de_preposition = nullptr;  // of the object
  Case object_case = Case::kAccusative;

  bool is(uint32_t flag) const { return (flags & flag) != 0; }
};

// Helpers of an infinitive: "want to". One without German forms is the adverb "gern".
struct Modal {
  Text en, en_past, en_link;
  bool needs_do;
  Text de, de_present, de_preterite;

  bool has_past() const { return *en_past != '\0'; }
  bool is_gern() const { return *de == '\0'; }
};

struct Name {
  Text text;
  Gender gender;
};

struct WordPair {
  Text en, de;
};

struct MannerAdverb {
  Text en, de;
  uint32_t suits;  // flags of verbs
};

// Cities and countries: "in Berlin" and "nach Berlin", but "in die Schweiz".
struct Region {
  Text en;
  Text de_in, de_to;
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
const Noun& noun(std::string_view en);
const Adjective& adjective(std::string_view en);
const Verb& verb(std::string_view en, Frame frame);
const Modal& modal(std::string_view en);
const Name& name(std::string_view text);

}  // namespace verbund::demo
