#include "check/mapping.h"
#include "check/thread_state.h"
#include "runtime/runtime.h"
#include "runtime/site_table.h"

#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <unistd.h>

using namespace footrace;

namespace {

// A module's records and strings in one piece, as in its file.
struct FakeModule {
  static constexpr u32 kRecords = 8;
  SiteRecord records[kRecords] = {};
  SiteRecord scopes[2] = {}; // of f, inlined at record 3, and of g
  char strings[256] = {};
  u32 used = 0;

  void text(i32& offset, const char* value) {
    char* at = strings + used;
    strcpy(at, value);
    used += u32(strlen(value)) + 1;
    offset = i32(at - reinterpret_cast<char*>(&offset));
  }
  static i32 distance(const SiteRecord& from, const SiteRecord& to) {
    return i32(reinterpret_cast<const char*>(&to) - reinterpret_cast<const char*>(&from));
  }
  FakeModule(u32 line) {
    for (u32 i = 0; i < 2; ++i) {
      text(scopes[i].file, "/src/x.cpp");
      text(scopes[i].function, i ? "_Z1gv" : "_Z1fv");
      scopes[i].role = SiteRole::Scope;
    }
    scopes[0].inlined_at = distance(scopes[0], records[3]);
    for (u32 i = 0; i < kRecords; ++i) {
      records[i].line = line + i;
      records[i].column = 3;
      records[i].kind = i == 3 ? SiteKind::Inlined : SiteKind::Write;
      records[i].scope = distance(records[i], scopes[i % 2]);
    }
  }
  void add(uptr inside) { register_module(records, scopes + 2, inside); }
  void remove() { unregister_module(records); }
};

SiteId site_id(const SiteRecord* record) { return footrace::site_id(reinterpret_cast<uptr>(record)); }

uptr library_address() { return reinterpret_cast<uptr>(&getpid); }
uptr own_address() { return reinterpret_cast<uptr>(&register_module); }

TEST(SiteTable, EveryRecord_HasItsOwnIdAndIsFoundByIt) {
  FakeModule module(10);
  EXPECT_EQ(site_id(module.records), kNoSite);
  module.add(library_address());
  for (u32 i = 0; i < FakeModule::kRecords; ++i) {
    SiteId id = site_id(&module.records[i]);
    ASSERT_NE(id, kNoSite);
    EXPECT_EQ(site_record(id), &module.records[i]);
  }
  module.remove();
}

TEST(SiteTable, UnloadedModule_StaysPrintable) {
  auto module = std::make_unique<FakeModule>(20);
  module->add(library_address());
  SiteId id = site_id(&module->records[0]);
  module->remove();
  memset(static_cast<void*>(module.get()), 0xff, sizeof *module);
  module.reset();
  const SiteRecord* record = site_record(id);
  ASSERT_TRUE(record);
  EXPECT_STREQ(site_file(*record), "/src/x.cpp");
  EXPECT_STREQ(site_function(*record), "_Z1fv");
  EXPECT_EQ(record->line, 20u);
  ASSERT_TRUE(site_inlined_at(*record));
  EXPECT_EQ(site_inlined_at(*record)->line, 23u);
  EXPECT_STREQ(site_function(*site_inlined_at(*record)), "_Z1gv");
}

TEST(SiteTable, ModuleLoadedAgainElsewhere_KeepsItsIds) {
  auto first = std::make_unique<FakeModule>(30), second = std::make_unique<FakeModule>(30);
  first->add(library_address());
  SiteId id = site_id(&first->records[1]);
  first->remove();
  second->add(library_address());
  EXPECT_EQ(site_id(&second->records[1]), id);
  EXPECT_EQ(site_record(id), &second->records[1]);
  second->remove();
}

TEST(SiteTable, OtherModuleInTheSamePlace_GetsOtherIds) {
  alignas(FakeModule) char place[sizeof(FakeModule)];
  auto* module = new (place) FakeModule(40);
  module->add(library_address());
  SiteId old = site_id(&module->records[0]);
  module->remove();
  module = new (place) FakeModule(50);
  module->add(library_address());
  SiteId now = site_id(&module->records[0]);
  EXPECT_NE(now, old);
  EXPECT_EQ(site_record(old)->line, 40u);
  EXPECT_EQ(site_record(now)->line, 50u);
  module->remove();
}

TEST(SiteTable, SeveralRegistrations_CountUntilTheLastUnregister) {
  FakeModule module(60);
  module.add(library_address());
  module.add(library_address());
  SiteId id = site_id(module.records);
  module.remove();
  EXPECT_EQ(site_record(id), module.records);
  module.remove();
  EXPECT_NE(site_record(id), module.records);
}

TEST(SiteTable, CodeOfRegisteredModules_IsInstrumentedUntilTheyGo) {
  EXPECT_FALSE(is_instrumented_code(library_address()));
  FakeModule module(70);
  module.add(library_address());
  EXPECT_TRUE(is_instrumented_code(library_address()));
  module.remove();
  EXPECT_FALSE(is_instrumented_code(library_address()));
  EXPECT_FALSE(is_instrumented_code(0));
}

TEST(SiteTable, Executable_OutlivesItsDestructors) {
  static FakeModule module(80);
  module.add(own_address());
  SiteId id = site_id(&module.records[2]);
  EXPECT_TRUE(is_instrumented_code(own_address()));
  module.remove();
  EXPECT_EQ(site_id(&module.records[2]), id);
  EXPECT_TRUE(is_instrumented_code(own_address()));
}

// A write check of 16 bytes: a read of the first 4 (record 2), a write of 4 at 8 (4), and a write whose place is not known (6).
struct CheckOfThree : FakeModule {
  explicit CheckOfThree(u32 line) : FakeModule(line) {
    records[0].role = SiteRole::Check;
    records[0].size = 16;
    SiteRecord place = {};
    place.role = SiteRole::Place;
    for (u32 i = 1; i < kRecords; i += 2) records[i] = place;
    records[1].covered = 3;
    for (u32 i = 2; i < kRecords; i += 2) {
      records[i].role = SiteRole::Covered;
      records[i].size = 4;
    }
    records[2].kind = SiteKind::Read;
    records[5].offset = 8;
    records[7].offset = kUnknownOffset;
  }
};

TEST(SiteTable, CheckOfSeveralAccesses_LeadsToTheOneThatTouchesTheByte) {
  CheckOfThree module(90);
  module.add(library_address());
  SiteId check = site_id(module.records);
  EXPECT_TRUE(covers_others(check));
  EXPECT_FALSE(covers_others(check + 4));
  EXPECT_EQ(covered_site(check, 0x1000, 0x1008), check + 4);
  EXPECT_EQ(covered_site(check, 0x1000, 0x100b), check + 4);
  EXPECT_EQ(covered_begin(module.records[4], 0x1000, 0x100b), 0x1008u);
  // Where no write is known to be, it is the write that could be anywhere, rather than a read.
  EXPECT_EQ(covered_site(check, 0x1000, 0x1001), check + 6);
  EXPECT_EQ(covered_site(check + 4, 0x1000, 0x1001), check + 4) << "an access is itself";
  module.remove();
}

TEST(SiteTable, CheckOfALoop_LeadsToTheAccessByTheRemainderOfItsStride) {
  CheckOfThree module(100);
  for (u32 i = 3; i < FakeModule::kRecords; i += 2) module.records[i].stride = 24;
  module.records[7].offset = 20;
  module.add(library_address());
  SiteId check = site_id(module.records);
  EXPECT_EQ(covered_site(check, 0x1000, 0x1000 + 24 * 7 + 9), check + 4);
  EXPECT_EQ(covered_site(check, 0x1000, 0x1000 + 24 * 7 + 21), check + 6);
  EXPECT_EQ(covered_site(check, 0x1000, 0x1000 + 24 * 7 + 2), check + 2);
  EXPECT_EQ(covered_site(check, 0x1000, 0x1000 - 24 * 7 + 8), check + 4) << "the check may go downwards";
  EXPECT_EQ(covered_site(check, 0x1000, 0x1000 + 24 * 7 + 5), check) << "nothing is there";
  EXPECT_EQ(covered_begin(module.records[4], 0x1000, 0x1000 + 24 * 7 + 9), 0x1000u + 24 * 7 + 8);
  module.remove();
}

TEST(SiteTable, CheckWithoutItsBegin_NamesAnAccessOnlyIfThereIsOne) {
  CheckOfThree module(110);
  module.add(library_address());
  SiteId check = site_id(module.records);
  EXPECT_EQ(only_covered_site(check, 0x1000), check) << "two writes, at different lines";
  module.records[6].line = module.records[4].line;
  EXPECT_EQ(only_covered_site(check, 0x1000), check + 4);
  module.records[6].kind = SiteKind::Read;
  EXPECT_EQ(only_covered_site(check, 0x1000), check + 4);
  EXPECT_EQ(only_covered_site(check + 2, 0x1000), check + 2);
  module.remove();
}

TEST(SiteTable, CheckOfAProxy_LeadsToTheAccessesItStandsFor) {
  static CheckOfThree module(120); // near the variables, as in a program
  static char variable[4], proxy[4];
  const auto point = [](i32& field, const void* target) {
    field = i32(static_cast<const char*>(target) - reinterpret_cast<const char*>(&field));
  };
  module.records[6].role = SiteRole::Proxied;
  point(module.records[7].variable, variable);
  point(module.records[7].proxy, proxy);
  module.add(library_address());
  SiteId check = site_id(module.records);
  EXPECT_EQ(covered_site(check, 0x1000, uptr(variable) + 3), check + 6);
  EXPECT_EQ(covered_site(check, 0x1000, uptr(variable) + 4), check) << "behind it";
  EXPECT_EQ(covered_site(check, 0x1000, 0x1001), check + 2) << "what is checked is not proxied";
  EXPECT_EQ(covered_begin(module.records[6], 0x1000, uptr(variable) + 3), uptr(variable));
  EXPECT_EQ(only_covered_site(check, uptr(variable) + 3), check + 6);
  EXPECT_EQ(only_covered_site(check, 0x1008), check + 4) << "the only write of the check's own bytes";
  ProxiedBytes found;
  ASSERT_TRUE(proxied_bytes(check, 0, &found));
  EXPECT_EQ(found.proxy, uptr(proxy));
  EXPECT_EQ(found.begin, uptr(variable));
  EXPECT_EQ(found.size, 4u);
  EXPECT_FALSE(proxied_bytes(check, 1, &found));
  module.records[6].role = SiteRole::Extent;
  ASSERT_TRUE(proxied_bytes(check, 0, &found)) << "bytes of an array";
  EXPECT_EQ(found.begin, uptr(variable));
  EXPECT_EQ(covered_site(check, 0x1000, uptr(variable) + 3), check) << "they are no access";
  EXPECT_EQ(only_covered_site(check, uptr(variable) + 3), check + 4);
  module.remove();
}

TEST(SiteTable, ProgramCounters_AreInternedByPlaceKindAndFunction) {
  const Site site = pc_site(0x1234, SiteKind::Write, "memcpy");
  EXPECT_EQ(pc_site(0x1234, SiteKind::Write, "memcpy"), site);
  EXPECT_NE(pc_site(0x1234, SiteKind::Read, "memcpy"), site);
  EXPECT_NE(pc_site(0x1235, SiteKind::Write, "memcpy"), site);
  const SiteId id = footrace::site_id(site);
  const PcSite* record = pc_site_record(id);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->pc, 0x1234u);
  EXPECT_STREQ(record->function, "memcpy");
  EXPECT_EQ(site_record(id), nullptr);
  EXPECT_EQ(pc_site_record(kNoSite), nullptr);
  EXPECT_EQ(footrace::site_id(0), kNoSite);
}

// What a thread has logged at a record, asked for later.
struct Logged : ThreadState {
  static constexpr Tid kTid = 930;
  Frame frame = {};
  explicit Logged(Site site) {
    EXPECT_EQ(reserve_shadow(), nullptr); // is asked at the end
    C.owner = kTid, epoch = make_epoch(kTid, 1);
    log.place_now = [](ThreadState&, Frame*) { return PlaceNow{}; };
    log_start(*this);
    log_access(*this, &frame, 0x1000, 8, AccessKind::Write, site);
  }
  ~Logged() { log_finish(*this); }
  Site site() const {
    LoggedAccess found = {};
    EXPECT_TRUE(log_find(epoch, 0x1000, AccessKind::Write, &found));
    return found.site;
  }
};

TEST(SiteTable, SiteInALog_IsTheOldRecordWhenAnotherModuleTakesItsPlace) {
  alignas(FakeModule) char place[sizeof(FakeModule)];
  auto* module = new (place) FakeModule(140);
  module->add(library_address());
  const SiteId old = site_id(&module->records[1]);
  const auto logged = std::make_unique<Logged>(reinterpret_cast<uptr>(&module->records[1]));
  module->remove();
  EXPECT_EQ(footrace::site_id(logged->site()), old) << "nobody has taken its place";
  module = new (place) FakeModule(150);
  module->add(library_address());
  EXPECT_EQ(footrace::site_id(logged->site()), old);
  EXPECT_EQ(site_record(footrace::site_id(logged->site()))->line, 141u);
  module->remove();
}

TEST(SiteTable, SiteInALog_IsTheSameWhenItsModuleIsLoadedElsewhere) {
  auto first = std::make_unique<FakeModule>(160), second = std::make_unique<FakeModule>(160);
  first->add(library_address());
  const SiteId id = site_id(&first->records[1]);
  const auto logged = std::make_unique<Logged>(reinterpret_cast<uptr>(&first->records[1]));
  first->remove();
  second->add(library_address());
  EXPECT_EQ(footrace::site_id(logged->site()), id);
  second->remove();
}

} // namespace
