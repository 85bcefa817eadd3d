// SlimState (Wilcox, Finch, Flanagan and Freund, ASE'15), as BigFoot's paper describes it (PLDI'17, section 4, "Dynamic Array
// Compression"): one state for a whole array, refined when accesses do not fit it any more. Accesses are collected in a footprint for each
// thread and array and judged at the thread's next synchronisation: none of what they are compared with has changed until then.
// Modes of an array: segments (one at first; split where a footprint begins or ends, joined where neighbours are equal), strided (one state
// for each residue), and fine (common/shadow.h). The rules are FastTrack's. Arrays are blocks that the trace allocates, of 32 bytes at
// least; all other memory is fine.
// Guarantee: precise: the bytes that race are FastTrack's, but a race is reported at the synchronisation, so of two accesses either may be
// the "later" one.
// Deviation: modes and limits are ours; the paper's text gives no numbers.
#pragma once

#include "detectors/fasttrack/fasttrack.h"
#include "detectors/slimstate/footprint.h"

namespace footrace::detectors {

class SlimState final : public Detector {
public:
  explicit SlimState(Partition partition = {}) : partition_(partition), memory_(partition) {}
  void step(const Event& event, Verdict& verdict) override;
  void finish(Verdict& verdict) override;
  Cost cost() const override;

private:
  using State = FastTrackState;
  struct Segment {
    u64 end;
    State state;
  };
  struct Footprint {
    slimstate::Ranges read, written;
    bool is_empty() const { return read.is_empty() && written.is_empty(); }
  };
  struct Array {
    u64 end = 0;
    bool is_fine = false;            // its states are in memory_
    bool has_raced = false;          // a prefilter passes all of it on
    std::map<u64, Segment> segments; // by first byte; empty in the other modes
    u64 element = 0;                 // bytes, in strided mode
    std::vector<State> residues;     // of element number i: residues[i % size]
    std::map<Tid, Footprint> footprints;
  };
  using Arrays = std::map<u64, Array>; // by first byte

  template <class Fn> void for_each_piece(u64 begin, u64 size, Fn fn);
  void access(const Event& event, Tid t, Verdict& verdict);
  void allocate(const Event& event, Verdict& verdict);
  void leave_array(Arrays::iterator array, u64 begin, u64 end);

  void commit_all(Tid t, Verdict& verdict);
  void commit(Arrays::iterator array, Tid t, Verdict& verdict);
  void commit(Arrays::iterator array, const slimstate::Ranges& ranges, Tid t, AccessKind kind,
              Verdict& verdict);
  bool commit_strided(Arrays::iterator array, const slimstate::Ranges& ranges, Tid t, AccessKind kind,
                      Verdict& verdict);
  void commit_range(Arrays::iterator array, u64 begin, u64 end, Tid t, AccessKind kind, Verdict& verdict);
  void commit_fine(u64 begin, u64 end, Tid t, AccessKind kind, Verdict& verdict);
  // False: it races.
  bool judge(State& x, Tid t, AccessKind kind, Verdict& verdict, Warning& warning);
  void split(Array& array, u64 at);
  void join_neighbours(Array& array, u64 begin, u64 end);
  void refine(Arrays::iterator array);

  Sync sync_;
  FastTrackRules rules_{sync_};
  Partition partition_;
  Shadow<State> memory_;
  Arrays arrays_;
  std::map<Tid, std::vector<u64>> touched_; // arrays with a footprint of the thread
  u64 committed_ = 0, strided_ = 0, refined_ = 0;
};

} // namespace footrace::detectors
