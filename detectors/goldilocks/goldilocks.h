// Goldilocks (Elmas, Qadeer and Tasiran, PLDI'07, Figures 5 and 8): no clocks. Each access has a lock set, {thread} at first, that grows
// along the list of synchronisation events; another thread may access the variable without a race once it is in the set. Reads have sets of
// their own, one for each reader. Guarantee: precise.
//
// Lazy as in the paper: a set is carried forward when it is asked. Deviations: the accesses of one thread between two of its own publishing
// events have one set in common (it depends on nothing else), and a set is carried forward in place, since it only grows. When the list is
// long, all sets are carried forward and the list is cut; sets that are equal then stay equal, and become one. So what remains is
// proportional to the different sets, which are few. Left out: short circuits and transactions.
#pragma once

#include "detectors/common/detector.h"
#include "detectors/common/shadow.h"
#include "detectors/goldilocks/devices.h"

#include <memory>
#include <unordered_map>
#include <vector>

namespace footrace::detectors {

class Goldilocks final : public Detector {
public:
  explicit Goldilocks(Partition partition = {}) : memory_(partition) {}
  void step(const Event& event, Verdict& verdict) override;
  Cost cost() const override;

private:
  struct LockSet {
    u64 at = 0; // transfers of the list that were applied
    std::vector<Element> elements;
    std::shared_ptr<LockSet> same; // the set that this one is equal to and was replaced by
    bool has(Element e) const;
    void apply(const Transfer& transfer);
  };
  // The accesses of one thread in one stretch of its program order, and their LS.
  struct Accesses {
    u32 thread = 0;
    std::shared_ptr<LockSet> lock_set;
  };
  using Set = std::shared_ptr<Accesses>;
  struct State {
    bool raced = false;
    Set write;
    std::vector<Set> others[kAccessKinds]; // reads and atomic accesses, one of a thread
    u64 bytes() const {                    // of what several states have in common, a part each
      u64 sum = write ? sizeof(Accesses) / u64(write.use_count()) : 0;
      for (const auto& sets : others) {
        sum += sets.capacity() * sizeof(Set);
        for (const Set& set : sets) sum += sizeof(Accesses) / u64(set.use_count());
      }
      return sum;
    }
  };

  Set set_of(u32 thread);
  void append(std::vector<Transfer>& transfers, u32 thread);
  static LockSet& lock_set_of(Accesses& accesses);
  void carry_forward(LockSet& set);
  bool is_ordered(Accesses& earlier, Element thread);
  bool access(State& x, u32 thread, AccessKind kind, Previous& previous);
  void cut_list();

  Devices devices_;
  std::vector<Transfer> list_, scratch_;
  u64 list_begin_ = 0;                              // number of the first transfer in the list
  std::unordered_map<u32, Set> current_;            // of each thread
  std::vector<std::shared_ptr<LockSet>> lock_sets_; // that no other one replaces
  Shadow<State> memory_;
  u64 same_stretch_ = 0, checks_ = 0, applied_ = 0;
};

} // namespace footrace::detectors
