// Takes apart what `mpirun --tag-output` prints: bytes of all workers in one stream, where each
// piece that a worker wrote begins with a tag such as "[1,3]<stderr>:". Pieces of several workers
// may share a line, so the lines of each are put together again here. A worker's status (core/status.h) is a line like
// any other.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace verbund {

struct OutputLine {
  static constexpr int kMpirun = -1;

  int rank = kMpirun;  // or kMpirun: what mpirun itself, its daemons or the rsh agent say
  bool is_stdout = false;
  std::string text;
};

class TaggedOutput {
 public:
  using Sink = std::function<void(const OutputLine&)>;

  explicit TaggedOutput(Sink sink) : sink_(std::move(sink)) {}

  void add(std::string_view bytes);

  // The stream has ended: what has no line end yet is a line, too.
  void finish();

 private:
  using Source = std::pair<int, bool>;  // rank, is_stdout

  void take_line(std::string_view line, bool complete);
  void end_line(const Source& source);

  Sink sink_;
  std::string pending_;                   // the stream's last line, as far as it has come
  std::map<Source, std::string> halves_;  // what each source has written of its line
};

}  // namespace verbund
