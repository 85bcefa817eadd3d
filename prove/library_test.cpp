// library.def and models/ speak of the same functions for different ends: what a proof believes about memory and threads, and what checks may
// be moved over. Where both know a function, they must not contradict each other.
#include "models/models.h"
#include "prove/library.h"

#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace footrace::prove {
namespace {

struct Both {
  const Model& model;
  const LibraryFunction& function;
  std::string name() const { return std::string(model.name); }
};

std::vector<Both> known_to_both() {
  std::vector<Both> both;
  for (const Model& model : all_models())
    if (const LibraryFunction* function = find_library_function(llvm::StringRef(model.name)))
      both.push_back({model, *function});
  return both;
}

// Memory that the roles of a function speak of, or that is no memory here (synchronisation objects).
bool has_role(const LibraryFunction& function) {
  return !llvm::is_contained({Role::None, Role::Copy, Role::Send, Role::Receive, Role::Scan}, function.role);
}

bool is_synchronisation_object(const Both& both) {
  return both.function.letter(0) == '-' && both.model.argument(0) != ArgumentUse::Value;
}

// Streams of C lock themselves; the models check them all the same.
bool is_stream(const Both& both, unsigned argument) {
  static const std::set<std::pair<std::string_view, unsigned>> streams = {
      {"putc", 1}, {"fputc", 1}, {"fputs", 1}, {"fwrite", 3}, {"fread", 3}, {"ungetc", 1}, {"fgets", 2}};
  return both.function.letter(argument) == '-' && streams.contains({both.model.name, argument});
}

TEST(Library, WhatModelsSayIsWritten_IsWritten) {
  for (const Both& both : known_to_both())
    for (unsigned i = 0; i < both.model.arguments.size(); i++) {
      const ArgumentUse use = both.model.argument(i);
      if (use != ArgumentUse::Written && use != ArgumentUse::Both) continue;
      if (has_role(both.function) || (i == 0 && is_synchronisation_object(both)) || is_stream(both, i))
        continue;
      EXPECT_TRUE(llvm::StringRef("wbxof").contains(both.function.letter(i)))
          << both.name() << ", argument " << i << ": " << both.function.letter(i);
    }
}

TEST(Library, WhatModelsSayIsRead_IsReadOrWritten) {
  for (const Both& both : known_to_both())
    for (unsigned i = 0; i < both.model.arguments.size(); i++) {
      if (both.model.argument(i) != ArgumentUse::Read || has_role(both.function)) continue;
      if (i == 0 && is_synchronisation_object(both)) continue;
      if (both.model.name == "__cxa_throw") continue; // the type, which is constant
      EXPECT_TRUE(llvm::StringRef("rwblxof").contains(both.function.letter(i)))
          << both.name() << ", argument " << i << ": " << both.function.letter(i);
    }
}

// Mappings are given back in part, and exceptions by the runtime of C++: the models know the effect, and no argument for it.
TEST(Library, BothKnowWhatFrees) {
  for (const Both& both : known_to_both()) {
    if (both.model.name == "munmap" || both.model.name == "__cxa_free_exception") {
      EXPECT_TRUE(both.model.effects.may_free()) << both.name();
      continue;
    }
    for (unsigned i = 0; i < both.model.arguments.size(); i++)
      EXPECT_EQ(both.model.argument(i) == ArgumentUse::Freed, both.function.letter(i) == 'f')
          << both.name() << ", argument " << i;
  }
}

// A proof orders by no more than what the models let pass for order.
TEST(Library, WhatAProofOrdersBy_AcquiresOrReleasesInModels) {
  for (const Both& both : known_to_both()) {
    switch (both.function.role) {
    case Role::Lock:
    case Role::LockShared:
    case Role::TryLock:
    case Role::TryLockShared:
    case Role::Join:
    case Role::JoinObject:
    case Role::LatchWait:
    case Role::LockGuard:
      EXPECT_TRUE(both.model.effects.may_acquire()) << both.name();
      break;
    case Role::Unlock:
    case Role::UnlockGuard:
    case Role::Spawn:
    case Role::SpawnState:
    case Role::LatchArrive:
      EXPECT_TRUE(both.model.effects.may_release()) << both.name();
      break;
    case Role::Barrier:
    case Role::Once:
      EXPECT_TRUE(both.model.effects.may_acquire() && both.model.effects.may_release()) << both.name();
      break;
    case Role::Free:
      EXPECT_TRUE(both.model.effects.may_free()) << both.name();
      break;
    default:
      break;
    }
  }
}

// What a model calls back must be called, started or listed as not modelled by the proof.
TEST(Library, WhatModelsCallBack_HasARole) {
  for (const Both& both : known_to_both())
    if (both.model.may_call_back()) EXPECT_TRUE(has_role(both.function)) << both.name();
}

TEST(Library, ManyFunctionsAreKnownToBoth) { EXPECT_GT(known_to_both().size(), 200u); }

} // namespace
} // namespace footrace::prove
