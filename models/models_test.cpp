#include "models/models.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace footrace {
namespace {

Effects effects(std::string_view name) {
  const Model* model = find_model(name);
  EXPECT_NE(model, nullptr) << name;
  return model != nullptr ? model->effects : Effects::unknown();
}

TEST(Models, UnlistedFunctions_HaveNone) {
  EXPECT_EQ(find_model("frobnicate"), nullptr);
  EXPECT_EQ(find_model(""), nullptr);
  EXPECT_EQ(find_model("syscall"), nullptr);
}

TEST(Models, Names_AreUnique) {
  std::set<std::string_view> names;
  for (const Model& model : all_models()) EXPECT_TRUE(names.insert(model.name).second) << model.name;
}

TEST(Models, Arguments_AreOfTheKnownLetters) {
  for (const Model& model : all_models())
    EXPECT_EQ(model.arguments.find_first_not_of("-rwbfck?"), std::string_view::npos) << model.name;
}

// A name is an identifier: a stray space or quote would make a model that is never found.
TEST(Models, Names_AreIdentifiers) {
  const std::string letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  for (const Model& model : all_models())
    EXPECT_EQ(model.name.find_first_not_of(letters), std::string_view::npos) << model.name;
}

TEST(Models, Locks_AcquireAndRelease) {
  EXPECT_EQ(effects("pthread_mutex_lock"), Effects(Effect::Acquire));
  EXPECT_EQ(effects("pthread_mutex_unlock"), Effects(Effect::Release));
  EXPECT_EQ(effects("_ZNSt3__15mutex6unlockEv"), Effects(Effect::Release));
  EXPECT_TRUE(effects("pthread_cond_wait").may_acquire());
  EXPECT_TRUE(effects("pthread_cond_wait").may_release());
}

TEST(Models, CancellationPoints_MayUnwindAndNotReturn) {
  for (const char* name : {"pthread_cond_wait", "pthread_join", "read", "write", "nanosleep", "printf"}) {
    EXPECT_TRUE(effects(name).may_throw()) << name;
    EXPECT_TRUE(effects(name).may_not_return()) << name;
  }
}

// What frees names the memory, or frees something that no argument points to.
TEST(Models, FreedArguments_HaveTheEffect) {
  for (const Model& model : all_models())
    if (model.arguments.find('f') != std::string_view::npos)
      EXPECT_TRUE(model.effects.may_free()) << model.name;
  EXPECT_EQ(find_model("free")->argument(0), ArgumentUse::Freed);
}

TEST(Models, LastArgument_StandsForTheRest) {
  const Model* scan = find_model("sscanf");
  ASSERT_NE(scan, nullptr);
  EXPECT_EQ(scan->argument(0), ArgumentUse::Read);
  EXPECT_EQ(scan->argument(7), ArgumentUse::Written);
  EXPECT_EQ(find_model("rand")->argument(0), ArgumentUse::Unknown);
}

TEST(Models, Callbacks_AreMarked) {
  EXPECT_TRUE(find_model("qsort")->may_call_back());
  EXPECT_EQ(find_model("qsort")->argument(3), ArgumentUse::Called);
  EXPECT_TRUE(find_model("pthread_once")->may_call_back());
  EXPECT_FALSE(find_model("pthread_create")->may_call_back()); // it runs in the new thread
}

TEST(Models, Libm_HasAllThreePrecisions) {
  for (const char* name : {"sin", "sinf", "sinl", "sincosf"}) EXPECT_TRUE(effects(name).has_none()) << name;
}

} // namespace
} // namespace footrace
