#include "checkpoint/checkpoint_links.h"

#include <optional>

#include "checkpoint/checkpoint_format.h"
#include "core/log.h"

namespace verbund {
namespace {

std::optional<int64_t> linked_step(const fs::directory_entry& entry) {
  std::error_code error;
  if (!entry.is_symlink(error)) return std::nullopt;
  return step_of_folder_name(fs::read_symlink(entry.path(), error).string());
}

}  // namespace

void set_checkpoint_link(const fs::path& checkpoints, const std::string& name, int64_t step) {
  const fs::path link = checkpoints / name;
  const fs::path partial = link.string() + kPartialEnding;
  std::error_code error;
  if (linked_step(fs::directory_entry(link, error)) == step) return;
  fs::remove(partial, error);
  fs::create_directory_symlink(step_folder_name(step), partial, error);
  if (!error) fs::rename(partial, link, error);
  if (error) {
    warn("cannot let {} point to {}: {}", link.string(), step_folder_name(step), error.message());
    fs::remove(partial, error);
  }
}

std::set<int64_t> linked_steps(const fs::path& checkpoints) {
  std::set<int64_t> steps;
  for (const auto& entry : fs::directory_iterator(checkpoints)) {
    if (const auto step = linked_step(entry)) steps.insert(*step);
  }
  return steps;
}

void remove_dangling_links(const fs::path& checkpoints) {
  for (const auto& entry : fs::directory_iterator(checkpoints)) {
    std::error_code error;
    const auto step = linked_step(entry);
    if (step && !fs::exists(checkpoints / step_folder_name(*step), error)) fs::remove(entry.path(), error);
  }
}

}  // namespace verbund
