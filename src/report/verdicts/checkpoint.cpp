// Questions 8 and 9: which files make up a checkpoint, and how big is it?
#include "core/human.h"
#include "report/verdicts/verdicts.h"
#include "report/verdicts/number_format.h"

namespace verbund {
namespace {

constexpr const char* kNone = "there is none that is whole in the run folder.";

Verdict& none(const RunData& run, Verdict& verdict) {
  return cannot_tell(verdict, run.imported ? "an imported run comes without its checkpoints." : kNone);
}

}  // namespace

Verdict checkpoint_files(const RunData& run) {
  Verdict verdict = ask("checkpoint_files", "Which files make up a checkpoint?");
  verdict.rule = "The newest checkpoint's folder, file by file; manifest.json names each with size and checksum.";
  verdict.would_change = "Averaged weights (average.decay) are a file of their own.";
  if (!run.newest_checkpoint) return none(run, verdict);
  const CheckpointContents& contents = *run.newest_checkpoint;
  std::string list;
  for (const CheckpointContents::File& file : contents.files) {
    list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", file.name, file.purpose);
    verdict.figures.push_back(figure(file.name, static_cast<double>(file.size), "bytes"));
  }
  verdict.sentence =
      fmt::format("{} files in {}: {}.", contents.files.size(), contents.folder.filename().string(), list);
  if (contents.damaged()) {
    verdict.finding = Grade::kBad;
    for (const CheckpointContents::File& file : contents.files) {
      if (!file.damage.empty()) verdict.sentence += fmt::format(" {} is damaged: {}.", file.name, file.damage);
    }
  }
  verdict.figures.push_back(figure("checkpoints in the run folder", static_cast<double>(run.checkpoints.size()), ""));
  return verdict;
}

Verdict checkpoint_size(const RunData& run) {
  Verdict verdict = ask("checkpoint_size", "How big is a checkpoint?");
  verdict.rule =
      "Sum of its files, as `du -b` counts them, beside what is expected: 4 bytes for each parameter, once for the "
      "weights, "
      "once for each moment of the optimiser, once for averaged weights if they are kept.";
  verdict.would_change =
      "A model of another size, another optimiser, averaging; for translating alone weights.safetensors is enough.";
  if (!run.newest_checkpoint) return none(run, verdict);
  const CheckpointContents& contents = *run.newest_checkpoint;
  uint64_t all = 0;
  for (const CheckpointOnDisk& checkpoint : run.checkpoints) all += checkpoint.bytes;
  verdict.sentence = fmt::format("{} ({} MiB)", human_bytes(contents.file_bytes),
                                 short_number(static_cast<double>(contents.file_bytes) / 1048576));
  if (contents.parameters > 0) {
    verdict.sentence += fmt::format(
        ": {} parameters of 4 bytes, {} times: the weights{}{}", human_count(contents.parameters),
        1 + contents.moments.size() + (contents.averaged ? 1 : 0),
        contents.moments.empty() ? "" : fmt::format(", {} moments of the optimiser", contents.moments.size()),
        contents.averaged ? ", their average" : "");
    const int64_t rest = static_cast<int64_t>(contents.file_bytes) - static_cast<int64_t>(contents.expected_bytes);
    verdict.sentence += fmt::format("; the other {} bytes are headers, state and settings", rest);
  }
  verdict.sentence += ".";
  if (run.checkpoints.size() > 1) {
    verdict.sentence += fmt::format(" The {} checkpoints kept take {}.", run.checkpoints.size(), human_bytes(all));
  }
  verdict.figures = {figure("files of a checkpoint", static_cast<double>(contents.file_bytes), "bytes"),
                     figure("with the folder's own entry", static_cast<double>(contents.folder_bytes), "bytes")};
  if (contents.parameters > 0) {
    verdict.figures.push_back(figure("parameters", static_cast<double>(contents.parameters), ""));
    verdict.figures.push_back(figure("expected", static_cast<double>(contents.expected_bytes), "bytes"));
  }
  for (const CheckpointContents::Share& share : contents.remainder) {
    verdict.figures.push_back(figure("of the rest: " + share.what, static_cast<double>(share.bytes), "bytes"));
  }
  verdict.figures.push_back(figure("all checkpoints kept", static_cast<double>(all), "bytes"));
  return verdict;
}

}  // namespace verbund
