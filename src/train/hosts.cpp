#include "train/hosts.h"

#include "core/machine.h"

namespace verbund {

nlohmann::ordered_json describe_hosts(Workers& workers, const Device& device, int threads) {
  using Json = nlohmann::ordered_json;
  Json own = to_json(this_machine());
  own["allowed_cores"] = workers.self().cores.size();
  own["device"] = device.facts().kind;
  own["kernels"] = device.facts().name;
  own["precision"] = kPrecisionNames[static_cast<size_t>(device.precision())];
  own["threads_per_worker"] = threads;
  const std::vector<std::string> all = workers.comm().gather(own.dump());
  Json hosts = Json::array();
  for (size_t rank = 0; rank < all.size(); ++rank) {
    const Worker& worker = workers.all()[rank];
    if (worker.local_rank == 0) {
      hosts.push_back(Json::parse(all[rank]));
      hosts.back()["workers"] = Json::array();
    }
    for (Json& host : hosts) {
      if (host.at("host") == worker.host) host["workers"].push_back(rank);
    }
  }
  return hosts;
}

}  // namespace verbund
