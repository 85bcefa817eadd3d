// Velodrome (Flanagan, Freund and Yi, PLDI'08, Figures 2 and 4): a trace is serialisable if and only if its transactions, ordered by the
// conflicts of their steps, have no cycle. Transactions are the outermost blocks between begin and end, and every step outside of one.
// Sound and complete for the observed trace, if no prefilter hides an access.
// State, in the paper's letters: C and L, the current and the last transaction of a thread; U, of the last release of a lock; W and R, of
// the last write and of each thread's last read of a variable. Steps outside of blocks need no transaction of their own where what comes
// before them is their thread's last one (section 4.3, "merge").
// Deviations: atomic accesses and volatile variables conflict as reads and writes do; a barrier orders arrivals before leaves; of a cycle
// the block is blamed that the current step is in, or else the first on the cycle. The edge that closes a cycle is not added.
#pragma once

#include "detectors/common/checker.h"
#include "detectors/common/shadow.h"
#include "detectors/common/sync.h"
#include "detectors/velodrome/graph.h"

namespace footrace::detectors {

class Velodrome final : public Checker {
public:
  void step(const Event& event, u64 index, std::vector<Violation>& violations) override;
  Cost cost() const override;

private:
  using Ref = velodrome::Ref;
  struct Thread {
    u64 depth = 0;     // of open blocks
    Ref current, last; // C and L
  };
  struct Reader {
    Tid t;
    Ref read;
  };
  struct State {
    Ref write;
    std::vector<Reader> readers;
    u64 bytes() const { return readers.capacity() * sizeof(Reader); }
  };
  struct Lock {
    Ref released;
    std::vector<Reader> shared;
  };
  struct Barrier {
    std::vector<Ref> arrivals;
    u64 inside = 0;
  };

  Thread& thread(Tid t);
  void begin(Thread& t, const Event& event, u64 index, std::vector<Violation>& violations);
  void end(Thread& t);
  void gather(const Event& event, Tid t);
  Ref transaction_for(Thread& t, const Event& event, u64 index, std::vector<Violation>& violations);
  void order(Ref from, Ref to, std::vector<Violation>& violations);
  void record(const Event& event, Tid t, Ref transaction);
  static void set_reader(std::vector<Reader>& readers, Tid t, Ref read);

  Threads names_;
  std::vector<Thread> threads_;
  velodrome::Graph graph_;
  std::vector<Ref> before_; // of the current step
  std::unordered_map<u64, Lock> locks_;
  std::unordered_map<u64, State> volatiles_;
  std::map<std::pair<u64, u64>, Barrier> barriers_;
  Shadow<State> memory_;
  u64 merged_ = 0, transactions_ = 0;
};

} // namespace footrace::detectors
