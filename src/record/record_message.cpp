// SPDX-License-Identifier: Apache-2.0
#include "record/record_message.h"

#include <cstring>

#include "collectives/workers.h"
#include "core/json.h"

namespace verbund {
namespace {

constexpr uint32_t kMessageMagic = 0x316d4256;  // "VBm1"

class Writer {
 public:
  template <typename Value>
  void put(const Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    append(&value, sizeof value);
  }
  // Their number comes first.
  template <typename Value>
  void put_all(std::span<const Value> values) {
    put(static_cast<uint32_t>(values.size()));
    append(values.data(), values.size_bytes());
  }
  void put_text(const std::string& text) { put_all<char>(text); }

  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  void append(const void* data, size_t size) {
    const auto* begin = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), begin, begin + size);
  }

  std::vector<std::byte> bytes_;
};

// After the first missing byte, every value is zero.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <typename Value>
  Value get() {
    Value value = {};
    copy(&value, sizeof value);
    return value;
  }
  template <typename Values>
  Values get_all() {
    const size_t count = get<uint32_t>();
    if (count > rest_.size() / sizeof(typename Values::value_type)) {
      damaged_ = true;
      return {};
    }
    Values values(count, typename Values::value_type());
    copy(values.data(), count * sizeof(typename Values::value_type));
    return values;
  }
  std::string get_text() { return get_all<std::string>(); }

  // All bytes were read, and none was missing.
  bool at_end() const { return !damaged_ && rest_.empty(); }

 private:
  void copy(void* to, size_t size) {
    damaged_ = damaged_ || size > rest_.size();
    if (damaged_ || size == 0) return;
    std::memcpy(to, rest_.data(), size);
    rest_ = rest_.subspan(size);
  }

  std::span<const std::byte> rest_;
  bool damaged_ = false;
};

// One pair for each kind of message.

void write(Writer& to, const StepBatch& batch) { to.put_all<StepRecord>(batch.records); }
void read(Reader& from, StepBatch& batch) { batch.records = from.get_all<std::vector<StepRecord>>(); }

void write(Writer& to, const ResourceHeader& header) { to.put_text(to_json_text(header)); }
void read(Reader& from, ResourceHeader& header) { header = parse_resource_header(parse_json(from.get_text())); }

void write(Writer& to, const ResourceRow& row) {
  to.put(row.time);
  to.put_all<float>(row.values);
}
void read(Reader& from, ResourceRow& row) {
  row.time = from.get<double>();
  row.values = from.get_all<std::vector<float>>();
}

void write(Writer& to, const StepTrace& trace) {
  const StepTimes& times = trace.times;
  to.put(trace.use);
  to.put(trace.step);
  to.put(trace.start);
  for (const double value : {trace.began, times.seconds, times.waited, times.compute, times.exposed, times.update,
                             times.exchange, times.backward}) {
    to.put(value);
  }
  const bool told = times.buckets.size() <= StepTrace::kMaxBuckets;
  to.put_all<BucketTimes>(told ? times.buckets : std::vector<BucketTimes>());
}
void read(Reader& from, StepTrace& trace) {
  StepTimes& times = trace.times;
  trace.use = from.get<uint8_t>() == StepTrace::kExchange ? StepTrace::kExchange : StepTrace::kTimeline;
  trace.step = from.get<int64_t>();
  trace.start = from.get<uint32_t>();
  for (double* value : {&trace.began, &times.seconds, &times.waited, &times.compute, &times.exposed, &times.update,
                        &times.exchange, &times.backward}) {
    *value = from.get<double>();
  }
  times.buckets = from.get_all<std::vector<BucketTimes>>();
}

void write(Writer& to, const TimelineSpan& span) {
  to.put_text(span.name);
  to.put(span.step);
  to.put(span.began);
  to.put(span.seconds);
}
void read(Reader& from, TimelineSpan& span) {
  span.name = from.get_text();
  span.step = from.get<int64_t>();
  span.began = from.get<double>();
  span.seconds = from.get<double>();
}

void write(Writer&, const TimelineOver&) {}
void read(Reader&, TimelineOver&) {}

void write(Writer& to, const OwnEvent& own) {
  to.put(own.at);
  to.put(own.event.step);
  to.put_text(own.event.event);
  to.put_text(dump_json(own.event.details));
}
void read(Reader& from, OwnEvent& own) {
  own.at = from.get<double>();
  own.event.step = from.get<int64_t>();
  own.event.event = from.get_text();
  own.event.details = parse_json(from.get_text());
}

// The message of the kind with this number.
template <size_t kKind = 0>
RecordMessage message_of(uint8_t kind, Reader& from) {
  if constexpr (kKind + 1 < std::variant_size_v<RecordMessage>) {
    if (kind != kKind) return message_of<kKind + 1>(kind, from);
  }
  std::variant_alternative_t<kKind, RecordMessage> message;
  read(from, message);
  return message;
}

}  // namespace

std::vector<std::byte> encode(const RecordMessage& message) {
  Writer to;
  to.put(kMessageMagic);
  to.put(static_cast<uint8_t>(message.index()));
  std::visit([&](const auto& content) { write(to, content); }, message);
  return to.take();
}

std::optional<RecordMessage> decode(std::span<const std::byte> bytes) {
  Reader from(bytes);
  if (from.get<uint32_t>() != kMessageMagic) return {};
  const auto kind = from.get<uint8_t>();
  if (kind >= std::variant_size_v<RecordMessage>) return {};
  try {
    RecordMessage message = message_of(kind, from);
    if (from.at_end()) return message;
  } catch (const Json::exception&) {
  }
  return {};
}

RecordPost record_post(Workers& workers, uint32_t start) {
  return {.self = workers.self(),
          .start = start,
          .send = [&workers](std::vector<std::byte> message) { workers.post(std::move(message)); },
          .now = [&workers] { return workers.run_clock(); },
          .clock = [&workers] { return workers.clock(); }};
}

}  // namespace verbund
