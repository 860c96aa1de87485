#include "launch/tagged_output.h"

#include <charconv>
#include <optional>

namespace verbund {
namespace {

struct Tag {
  size_t begin;
  size_t end;  // behind the colon
  int rank;
  bool is_stdout;
};

std::optional<Tag> find_tag(std::string_view text, size_t from) {
  for (size_t begin = text.find('[', from); begin != std::string_view::npos; begin = text.find('[', begin + 1)) {
    const char* const last = text.data() + text.size();
    int job = 0, rank = 0;
    const auto [comma, no_job] = std::from_chars(text.data() + begin + 1, last, job);
    if (no_job != std::errc() || comma == last || *comma != ',') continue;
    const auto [bracket, no_rank] = std::from_chars(comma + 1, last, rank);
    if (no_rank != std::errc() || rank < 0) continue;
    const std::string_view rest(bracket, static_cast<size_t>(last - bracket));
    for (const std::string_view stream : {"]<stdout>:", "]<stderr>:", "]<stddiag>:"}) {
      if (!rest.starts_with(stream)) continue;
      const auto end = static_cast<size_t>(bracket - text.data()) + stream.size();
      return Tag{begin, end, rank, stream == "]<stdout>:"};
    }
  }
  return std::nullopt;
}

}  // namespace

void TaggedOutput::add(std::string_view bytes) {
  pending_ += bytes;
  size_t begin = 0;
  for (size_t end; (end = pending_.find('\n', begin)) != std::string::npos; begin = end + 1) {
    take_line(std::string_view(pending_).substr(begin, end - begin), true);
  }
  pending_.erase(0, begin);
}

void TaggedOutput::take_line(std::string_view line, bool complete) {
  Source source{OutputLine::kMpirun, false};
  size_t begin = 0;
  bool any = false;
  while (begin <= line.size()) {
    const std::optional<Tag> tag = find_tag(line, begin);
    const size_t end = tag ? tag->begin : line.size();
    if (end > begin || any || !tag) halves_[source] += line.substr(begin, end - begin);
    if (!tag) break;
    source = {tag->rank, tag->is_stdout};
    begin = tag->end;
    any = true;
  }
  if (complete) end_line(source);
}

void TaggedOutput::end_line(const Source& source) {
  const auto half = halves_.extract(source);
  sink_({source.first, source.second, half.empty() ? "" : half.mapped()});
}

void TaggedOutput::finish() {
  if (!pending_.empty()) take_line(pending_, false);
  pending_.clear();
  while (!halves_.empty()) {
    const Source source = halves_.begin()->first;
    if (halves_.begin()->second.empty()) {
      halves_.erase(halves_.begin());
    } else {
      end_line(source);
    }
  }
}

}  // namespace verbund
