// One sentence on its way to a string: words, and commas that are set only if another word
// follows. Nested clauses can so ask for their commas without knowing what stands around them.
#pragma once

#include <string>
#include <string_view>

namespace verbund::demo {

class Line {
 public:
  // One or more words, or none. Spaces at the end do not count.
  void add(std::string_view words);

  void comma() { comma_pending_ = !text_.empty(); }

  const std::string& text() const { return text_; }

  // With a capital letter and the final mark.
  std::string finish(char mark);

 private:
  std::string text_;
  bool comma_pending_ = false;
};

}  // namespace verbund::demo
