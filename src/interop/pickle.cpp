// SPDX-License-Identifier: Apache-2.0
#include "interop/pickle.h"

#include <algorithm>
#include <bit>
#include <map>

#include "core/error.h"

namespace verbund {
namespace {

constexpr size_t kMaxValues = 10'000'000;

// The closed list: what torch.save and pickle's protocols 2 to 4 use for dicts of tensors.
enum Opcode : unsigned char {
  kMark = '(',
  kEmptyTuple = ')',
  kStop = '.',
  kBinFloat = 'G',
  kBinInt = 'J',
  kBinInt1 = 'K',
  kBinInt2 = 'M',
  kNone = 'N',
  kBinPersistentId = 'Q',
  kReduce = 'R',
  kBinUnicode = 'X',
  kEmptyList = ']',
  kAppend = 'a',
  kBuild = 'b',
  kGlobal = 'c',
  kAppends = 'e',
  kBinGet = 'h',
  kLongBinGet = 'j',
  kBinPut = 'q',
  kLongBinPut = 'r',
  kSetItem = 's',
  kTuple = 't',
  kSetItems = 'u',
  kEmptyDict = '}',
  kProtocol = 0x80,
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kTrue = 0x88,
  kFalse = 0x89,
  kLong1 = 0x8a,
  kShortBinUnicode = 0x8c,
  kStackGlobal = 0x93,
  kMemoize = 0x94,
  kFrame = 0x95
};

class PickleReader {
 public:
  using Kind = PickleValue::Kind;

  PickleReader(std::string_view bytes, const std::string& where, const std::vector<std::string_view>& names)
      : rest_(bytes), where_(where), names_(names) {}

  Pickle read() {
    while (true) {
      const size_t at = read_;
      const auto opcode = static_cast<unsigned char>(take(1).front());
      if (opcode == kStop) break;
      perform(opcode, at);
    }
    result_.root = pop();
    return std::move(result_);
  }

 private:
  void perform(unsigned char opcode, size_t at) {
    switch (opcode) {
      case kProtocol:
        return check_protocol(number(1));
      case kFrame:
        take(8);
        return;
      case kNone:
        push(Kind::kNone);
        return;
      case kTrue:
      case kFalse:
        push(Kind::kBool)->integer = opcode == kTrue ? 1 : 0;
        return;
      case kBinInt:
        return push_integer(static_cast<int32_t>(number(4)));
      case kBinInt1:
        return push_integer(static_cast<int64_t>(number(1)));
      case kBinInt2:
        return push_integer(static_cast<int64_t>(number(2)));
      case kLong1:
        return push_long(at);
      case kBinFloat:
        return push_real();
      case kBinUnicode:
        return push_text(number(4));
      case kShortBinUnicode:
        return push_text(number(1));
      case kEmptyTuple:
        push(Kind::kTuple);
        return;
      case kEmptyList:
        push(Kind::kList);
        return;
      case kEmptyDict:
        push(Kind::kDict);
        return;
      case kMark:
        count_values(1);
        marks_.push_back(stack_.size());
        return;
      case kTuple:
        return push_tuple(to_mark());
      case kTuple1:
      case kTuple2:
      case kTuple3:
        return push_tuple(top(opcode - kTuple1 + 1u));
      case kAppend:
        return add_items(top(1), Kind::kList);
      case kAppends:
        return add_items(to_mark(), Kind::kList);
      case kSetItem:
        return add_items(top(2), Kind::kDict);
      case kSetItems:
        return add_items(to_mark(), Kind::kDict);
      case kBinPut:
        return keep(number(1));
      case kLongBinPut:
        return keep(number(4));
      case kMemoize:
        return keep(memo_.size());
      case kBinGet:
        return recall(number(1));
      case kLongBinGet:
        return recall(number(4));
      case kGlobal: {
        const std::string module = line();
        return push_name(module + " " + line());
      }
      case kStackGlobal:
        return push_stack_global();
      case kReduce:
        return push_call(at);
      case kBuild:  // attributes such as a state_dict's _metadata, which are not needed
        pop();
        return;
      case kBinPersistentId: {
        const PickleValue* id = pop();
        return push_with_items(Kind::kPersistent, "", *id);
      }
      default:
        fail(
            "{} has the opcode 0x{:02x} at byte {} of its pickle, which no file of tensors needs. It is refused; "
            "nothing was executed",
            where_, opcode, at);
    }
  }

  std::string_view take(uint64_t count) {
    if (count > rest_.size()) fail("{}: the pickle ends at byte {}, in the middle of a value", where_, read_);
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    read_ += count;
    return taken;
  }
  uint64_t number(uint64_t size) {
    uint64_t value = 0;
    int shift = 0;
    for (const char byte : take(size)) {
      value |= uint64_t{static_cast<unsigned char>(byte)} << shift;
      shift += 8;
    }
    return value;
  }
  int64_t signed_number(uint64_t size) {
    if (size == 0) return 0;
    const uint64_t value = number(size);
    const auto unused = static_cast<int>(64 - 8 * size);
    return static_cast<int64_t>(value << unused) >> unused;
  }
  std::string line() {
    const size_t end = rest_.find('\n');
    if (end > 1000) fail("{}: a name in the pickle has no end", where_);
    std::string text(take(end));
    take(1);
    return text;
  }

  void check_protocol(uint64_t version) const {
    if (version < 2 || version > 5) fail("{}: protocol {} of pickle is not supported", where_, version);
  }

  // All that takes memory: values, and places that refer to them.
  void count_values(size_t more) {
    counted_ += more;
    if (counted_ > kMaxValues) fail("{}: the pickle has more than {} values", where_, kMaxValues);
  }
  PickleValue* push(Kind kind) {
    count_values(1);
    PickleValue& value = result_.values.emplace_back();
    value.kind = kind;
    stack_.push_back(&value);
    return &value;
  }
  void push_integer(int64_t value) { push(Kind::kInteger)->integer = value; }
  void push_long(size_t at) {
    const uint64_t size = number(1);
    if (size > 8) fail("{}: an integer of {} bytes at byte {} is too large", where_, size, at);
    push_integer(signed_number(size));
  }
  void push_real() {
    uint64_t bits = 0;
    for (const char byte : take(8)) bits = bits << 8 | static_cast<unsigned char>(byte);
    push(Kind::kReal)->real = std::bit_cast<double>(bits);
  }
  void push_text(uint64_t size) {
    const std::string_view text = take(size);
    push(Kind::kText)->text = text;
  }
  void push_name(const std::string& name) {
    if (std::find(names_.begin(), names_.end(), name) == names_.end()) {
      fail("{} names \"{:.100}\", which no file of tensors needs. It is refused; nothing was executed", where_, name);
    }
    push(Kind::kName)->text = name;
  }
  void push_stack_global() {
    const std::vector<const PickleValue*> words = top(2);
    if (words[0]->kind != Kind::kText || words[1]->kind != Kind::kText) fail("{}: a name is not text", where_);
    push_name(words[0]->text + " " + words[1]->text);
  }
  void push_call(size_t at) {
    const std::vector<const PickleValue*> call = top(2);
    if (call[0]->kind != Kind::kName || call[1]->kind != Kind::kTuple) {
      fail("{}: a call at byte {} is not that of a name with arguments", where_, at);
    }
    // Calls without arguments make an empty dict (OrderedDict) and are filled later.
    if (call[0]->text == "collections OrderedDict" && call[1]->items.empty()) {
      push(Kind::kDict);
    } else {
      push_with_items(Kind::kCall, call[0]->text, *call[1]);
    }
  }
  // A tuple may be used any number of times, so its items are counted each time.
  void push_with_items(Kind kind, const std::string& text, const PickleValue& from) {
    count_values(from.items.size());
    PickleValue* made = push(kind);
    made->text = text;
    made->items = from.items;
  }
  void push_tuple(std::vector<const PickleValue*> items) { push(Kind::kTuple)->items = std::move(items); }

  size_t bottom() const { return marks_.empty() ? 0 : marks_.back(); }
  PickleValue* pop() {
    if (stack_.size() <= bottom()) fail("{}: the pickle takes a value that is not there, at byte {}", where_, read_);
    PickleValue* value = stack_.back();
    stack_.pop_back();
    return value;
  }
  std::vector<const PickleValue*> top(size_t count) {
    std::vector<const PickleValue*> items(count);
    for (size_t i = count; i-- > 0;) items[i] = pop();
    return items;
  }
  std::vector<const PickleValue*> to_mark() {
    if (marks_.empty()) fail("{}: the pickle has no mark where it needs one, at byte {}", where_, read_);
    const size_t begin = marks_.back();
    std::vector<const PickleValue*> items(stack_.begin() + static_cast<ptrdiff_t>(begin), stack_.end());
    stack_.resize(begin);
    marks_.pop_back();
    return items;
  }
  void add_items(const std::vector<const PickleValue*>& items, Kind kind) {
    PickleValue* const into = pop();
    if (into->kind != kind || (kind == Kind::kDict && items.size() % 2 != 0)) {
      fail("{}: the pickle adds to a value that is not a {}, at byte {}", where_, kind == Kind::kDict ? "dict" : "list",
           read_);
    }
    into->items.insert(into->items.end(), items.begin(), items.end());
    stack_.push_back(into);
  }
  void keep(uint64_t place) {
    count_values(1);
    PickleValue* value = pop();
    stack_.push_back(value);
    memo_[place] = value;
  }
  void recall(uint64_t place) {
    const auto found = memo_.find(place);
    if (found == memo_.end()) fail("{}: the pickle uses the value {}, which it did not keep", where_, place);
    count_values(1);
    stack_.push_back(found->second);
  }

  std::string_view rest_;
  size_t read_ = 0, counted_ = 0;
  const std::string& where_;
  const std::vector<std::string_view>& names_;
  Pickle result_;
  std::vector<PickleValue*> stack_;
  std::vector<size_t> marks_;
  std::map<uint64_t, PickleValue*> memo_;
};

}  // namespace

Pickle read_pickle(std::string_view bytes, const std::string& where, const std::vector<std::string_view>& names) {
  return PickleReader(bytes, where, names).read();
}

}  // namespace verbund
