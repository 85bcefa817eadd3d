// Local locks: two accesses under locks that need not be the same one. If the locks differ, the accesses do not touch
// the same memory (conditional must not aliasing, paper 001, section 5.1.2).
#pragma once

#include "prove/accesses.h"
#include "prove/elements.h"
#include "prove/heap_effects.h"
#include "prove/locks.h"
#include "prove/paths.h"

namespace footrace::prove {

class LocalLock {
public:
  LocalLock(const PointsTo& pointers, const Accesses& accesses, const Locks& locks,
            const Equalities& equalities, const HeapEffects& effects, const Paths& paths)
      : pointers_(pointers), accesses_(accesses), locks_(locks), equalities_(equalities), effects_(effects),
        paths_(paths) {}

  bool must_exclude(const Access& a, const Access& b) const;

private:
  bool must_be_at_same_distance(const Access& a, const HeldLock& a_lock, const Access& b,
                                const HeldLock& b_lock) const;
  bool must_be_at_same_index(const Access& a, const HeldLock& a_lock, const Access& b,
                             const HeldLock& b_lock) const;
  std::optional<Element> data_element(const Access& access) const;
  std::optional<Element> lock_element(const Access& access, const HeldLock& lock) const;
  bool must_be_owned_apart(const Access& a, const HeldLock& a_lock, const Access& b,
                           const HeldLock& b_lock) const;
  bool is_reached_from(const Access& access, const HeldLock& lock) const;
  // All point to one offset in their objects, of which each is memory of its own if that is asked for.
  bool have_same_place(std::initializer_list<const LocationSet*> pointers, bool in_one_object = false) const;

  const PointsTo& pointers_;
  const Accesses& accesses_;
  const Locks& locks_;
  const Equalities& equalities_;
  const HeapEffects& effects_;
  const Paths& paths_;
};

// Objects that both accesses may touch.
std::set<ObjectId> common_objects(const PointsTo& pointers, const Accesses& accesses, const Access& a,
                                  const Access& b);

} // namespace footrace::prove
