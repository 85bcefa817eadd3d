// Copies of memory (memcpy, structure assignment, realloc): what lies at some distance behind the source flows to the
// same distance behind the target. Every transfer has a node for each distance in between, so that s sources and t
// targets cost s + t copies of each field, and not s * t.
#pragma once

#include "prove/memory.h"

#include "llvm/ADT/DenseSet.h"

#include <functional>
#include <map>

namespace footrace::prove {

using TransferId = std::uint32_t;

class Transfers {
public:
  struct Hooks {
    std::function<NodeId()> create;
    std::function<void(NodeId, NodeId)> copy;
  };
  Transfers(Memory& memory, Hooks hooks) : memory_(memory), hooks_(std::move(hooks)) {}

  TransferId create(std::uint64_t length);
  void add_source(TransferId transfer, LocationId source);
  void add_target(TransferId transfer, LocationId target);
  // A field that came into being after the sources that it belongs to.
  void see(LocationId field);
  // The object is now one location of another.
  void move(ObjectId from, LocationId to);

private:
  struct Transfer {
    std::uint64_t length;
    std::map<Shift, NodeId, ShiftLess> parts; // by distance from the source
    std::vector<LocationId> targets;
  };
  struct Source {
    TransferId transfer;
    LocationId begin;
  };

  void read(const Source& source, LocationId field);
  void write(NodeId part, LocationId target, const Shift& distance);

  Memory& memory_;
  Hooks hooks_;
  std::vector<Transfer> transfers_;
  std::map<ObjectId, std::vector<Source>> sources_;
  llvm::DenseSet<std::pair<TransferId, LocationId>> known_sources_;
};

} // namespace footrace::prove
