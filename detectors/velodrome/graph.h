// The happens-before graph of transactions (Flanagan, Freund and Yi, PLDI'08, section 4): kept free of cycles, and of transactions that are
// over and that no edge leads to (section 4.1:
// they can be in no cycle any more). A Ref to such a transaction leads nowhere.
#pragma once

#include "events/event.h"

#include <vector>

namespace footrace::detectors::velodrome {

struct Ref {
  u32 number = 0, generation = 0; // generation 0: to nothing
  friend bool operator==(Ref, Ref) = default;
};

struct Transaction {
  u32 generation = 0, incoming = 0;
  bool is_open = false, is_block = false; // a block is one that the program declared
  bool is_reported = false;
  u64 mark = 0;
  u64 begin_index = 0;
  Event begin;
  std::vector<u32> successors;
};

class Graph {
public:
  Ref add(bool is_block, const Event& begin, u64 index);
  // The transaction is over; it may be gone at once.
  void close(Ref transaction);
  bool is_alive(Ref r) const { return r.generation && at_[r.number].generation == r.generation; }
  const Transaction& operator[](Ref r) const { return at_[r.number]; }
  // Adds the edge, unless it would close a cycle: then false, and `cycle` are the transactions on it.
  bool order(Ref from, Ref to, std::vector<Ref>& cycle);

  void set_reported(Ref r) { at_[r.number].is_reported = true; }
  u64 edges() const { return edges_; }
  u64 collected() const { return collected_; }
  u64 memory() const;

private:
  bool find_path(u32 from, u32 to, std::vector<u32>& path);
  void collect(u32 number);

  std::vector<Transaction> at_;
  std::vector<u32> free_;
  u64 marks_ = 0, edges_ = 0, collected_ = 0;
};

} // namespace footrace::detectors::velodrome
