#include "config/flatten.h"

namespace verbund {

void Flattener::automatic(const char* name, int64_t& value, Range<int64_t>, const char* about) {
  if (value == kAutomatic) {
    put(name, "auto", about);
  } else {
    put(name, value, about);
  }
}

bool Flattener::enter(const std::string& name) {
  prefix_ += name + ".";
  return true;
}

void Flattener::leave() {
  prefix_.pop_back();
  prefix_.resize(prefix_.rfind('.') + 1);  // none: 0
}

}  // namespace verbund
