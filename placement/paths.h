// Paths: the memory of a function's accesses as sets of bytes, so that entailment is set inclusion.
//
// A path (`x.f`, `x[r]` in the papers) is a key and an interval of bytes. The key is the ScalarEvolution of the address without
// its constant part: two addresses with the same key differ by a constant (must-alias), whatever instructions compute
// them. The intervals of a key are cut where any of them begins or ends; the pieces are the atoms. A set of
// properties p◁, p∨ or p◇ is a bit set with two bits per atom, read and write; a write entails a read (BigFoot section 5:
// a write check covers both).
//
// Variables are SSA values, so only time makes a path mean another location: the next iteration of a loop defines the values
// again. A key therefore dies where one of its leaves is defined ([ASSIGN], [READ]: x is fresh; A \ x).
#pragma once

#include "placement/plan.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"

namespace llvm {
class DominatorTree;
class Loop;
class ScalarEvolution;
} // namespace llvm

namespace footrace {

using PathSet = llvm::BitVector; // two bits per atom: read, write

// What the value of the expression depends on that can be defined again.
struct Leaves {
  llvm::SmallVector<const llvm::Instruction*, 4> instructions;
  llvm::SmallVector<const llvm::Loop*, 2> loops;
};
Leaves leaves_of(llvm::ArrayRef<const llvm::SCEV*> expressions);

// Leaves the key of an address and returns its constant part: address = key + constant.
int64_t take_constant(const llvm::SCEV*& address, llvm::ScalarEvolution& scev);

class Paths {
public:
  // An interval of a key.
  struct Path {
    unsigned key = 0;
    int64_t begin = 0, end = 0; // bytes from the key
    unsigned first_atom = 0, last_atom = 0;
  };
  // A value from which the addresses of a key can be computed.
  struct Anchor {
    llvm::Value* value;
    int64_t offset; // value = key + offset
    uint64_t alignment;
  };
  // Adjacent atoms of one key, of one kind: a coalesced field path.
  struct Run {
    unsigned key;
    AccessKind kind;
    int64_t begin, end;
    PathSet bits;
  };

  // The paths of those accesses that `tracked` admits.
  Paths(const Plan& plan, const llvm::BitVector& tracked, llvm::ScalarEvolution& scev,
        const llvm::DominatorTree& dominators);

  unsigned bits() const { return static_cast<unsigned>(2 * atoms_.size()); }
  unsigned keys() const { return static_cast<unsigned>(keys_.size()); }
  // Of the plan, with and without a path.
  unsigned accesses() const { return accesses_; }
  bool has_path(unsigned access) const { return paths_.contains(access); }

  // The property of the access and all that it entails.
  const PathSet& of(unsigned access) const { return paths_.find(access)->second.bits; }

  // What dies with the definition of an instruction (null: nothing), and on the edges into a block.
  const PathSet* killed_by(const llvm::Instruction& definition) const;
  const PathSet* killed_on_edge_into(const llvm::BasicBlock& block) const;

  // The paths whose address can be computed at the start of the block.
  const PathSet& usable_in(const llvm::BasicBlock& block) const;
  // An anchor of the key at a place; null if there is none.
  const Anchor* anchor(unsigned key, const llvm::Instruction& before) const;

  // A part of a set as bytes from a variable: what the names of two functions have in common.
  struct Interval {
    int64_t begin = 0, end = 0;
    AccessKind kind = AccessKind::Read;
  };
  // The set's intervals under the key of an address, as bytes from that address.
  std::vector<Interval> intervals(const PathSet& set, const llvm::SCEV* address,
                                  llvm::ScalarEvolution& scev) const;
  // The atoms that lie in the interval, with all that its kind entails.
  PathSet inside(const llvm::SCEV* address, const Interval& interval, llvm::ScalarEvolution& scev) const;
  // The keys that are an argument or a global variable and nothing else.
  std::vector<llvm::Value*> variables() const;

  // Post-analysis coalescing of fields (BigFoot section 4): the set as the fewest intervals of one kind.
  std::vector<Run> coalesce_fields(const PathSet& set) const;

private:
  struct Atom {
    unsigned key;
    int64_t begin, end;
  };
  struct Key {
    const llvm::SCEV* base;
    llvm::SmallVector<Anchor, 2> anchors;
    unsigned first_atom = 0, last_atom = 0; // first == last: none yet
  };
  struct Entry {
    Path path;
    PathSet bits;
  };

  void add_path(unsigned index, const Access& access, llvm::ScalarEvolution& scev);
  void cut_atoms(const Plan& plan);
  void find_deaths();
  bool has_anchor_in(const Key& key, const llvm::BasicBlock& block) const;

  const llvm::DominatorTree& dominators_;
  unsigned accesses_;
  std::vector<Key> keys_;
  std::vector<Atom> atoms_;
  llvm::DenseMap<const llvm::SCEV*, unsigned> key_of_;
  llvm::DenseMap<unsigned, Entry> paths_;
  llvm::DenseMap<const llvm::Instruction*, PathSet> by_definition_;
  llvm::DenseMap<const llvm::BasicBlock*, PathSet> by_edge_;
  mutable llvm::DenseMap<const llvm::BasicBlock*, PathSet> usable_;
};

} // namespace footrace
