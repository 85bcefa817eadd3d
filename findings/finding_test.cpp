#include "findings/finding.h"
#include "findings/frames.h"
#include "findings/names.h"
#include "findings/sample_finding.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <utility>

namespace footrace::findings {
namespace {

std::string fingerprint_after(auto&& change) {
  Finding finding = sample_finding();
  change(finding);
  seal(finding);
  return finding.fingerprint;
}

TEST(Fingerprint, IsThatOfEarlierReleases) { EXPECT_EQ(sample_finding().fingerprint, "0c06f39dae44f327"); }

TEST(Fingerprint, IgnoresWhatChangesFromRunToRun) {
  EXPECT_EQ(sample_finding().fingerprint, fingerprint_after([](Finding& f) {
              f.pid = 999;
              f.accesses[0].address = 0xabcdef;
              f.accesses[0].thread = 7;
              f.accesses[0].locks.push_back({0x99, "", LockMode::Shared, {}});
              f.accesses[1].stack_lost = true;
              f.accesses[1].stack.pop_back();
              f.memory->begin = f.memory->address = 0x5555;
              f.accesses[0].stack[1].offset = 0x77;
              f.threads.clear();
            }));
}

TEST(Fingerprint, IgnoresDirectoryAndOrderOfAccesses) {
  EXPECT_EQ(sample_finding().fingerprint, fingerprint_after([](Finding& f) {
              std::swap(f.accesses[0], f.accesses[1]);
              f.accesses[0].stack[0].location.file = "/other/checkout/bank.cpp";
            }));
}

TEST(Fingerprint, IgnoresLinesAndColumns) {
  EXPECT_EQ(sample_finding().fingerprint, fingerprint_after([](Finding& f) {
              for (Access& access : f.accesses)
                for (StackFrame& frame : access.stack) frame.location.line += 7, frame.location.column = 1;
            }));
}

TEST(Fingerprint, DiffersByKindFunctionFileAndExpression) {
  std::string same = sample_finding().fingerprint;
  EXPECT_NE(same, fingerprint_after([](Finding& f) { f.accesses[1].use = "write"; }));
  EXPECT_NE(same, fingerprint_after([](Finding& f) { f.accesses[1].kind = AccessKind::Free; }));
  EXPECT_NE(same, fingerprint_after([](Finding& f) { f.accesses[0].stack[0].function = "take()"; }));
  EXPECT_NE(same, fingerprint_after([](Finding& f) { f.accesses[0].stack[0].location.file = "/src/b.cpp"; }));
  EXPECT_NE(same, fingerprint_after([](Finding& f) { f.accesses[0].expression = "account.owner"; }));
  EXPECT_NE(same, fingerprint_after([](Finding& f) { f.rule = "lock-order"; }));
}

TEST(Fingerprint, ReadAndWriteOfAnUpdate_AreOneUse) {
  auto with_kind = [](AccessKind kind, std::string use) {
    return fingerprint_after([&](Finding& f) {
      f.accesses[0].kind = kind;
      f.accesses[0].use = std::move(use);
    });
  };
  EXPECT_EQ(with_kind(AccessKind::Read, "update"), with_kind(AccessKind::Write, "update"));
  EXPECT_NE(with_kind(AccessKind::Read, "read"), with_kind(AccessKind::Write, "write"));
}

TEST(Fingerprint, LibraryCode_IsToldApartByItsCallerOnly) {
  auto called_at = [](unsigned line, unsigned library_line = 1280) {
    return fingerprint_after([&](Finding& f) {
      f.accesses[0].stack = {sample_frame("std::vector<int>::push_back(int const&)",
                                          "/usr/include/c++/12/bits/stl_vector.h", library_line, 4),
                             sample_frame("add(int)", "/src/bank.cpp", line, 3)};
    });
  };
  EXPECT_EQ(called_at(40), called_at(40, 1281));
  EXPECT_EQ(called_at(40), called_at(41)) << "lines do not count";
}

TEST(Fingerprint, WithoutLines_VariablesTellRacesApart) {
  auto on_variable = [](std::string name) {
    return fingerprint_after([&](Finding& f) {
      f.accesses[0].stack = {sample_frame("f", "", 0, 0)};
      f.accesses[0].expression.clear();
      f.memory->region = Region::Global;
      f.memory->name = std::move(name);
    });
  };
  EXPECT_NE(on_variable("a"), on_variable("b"));
  EXPECT_EQ(on_variable("a"), on_variable("a"));
}

TEST(RepetitionKey, DiffersByLineAndColumnSoThatNoRaceIsTakenForAnother) {
  auto key_after = [](auto&& change) {
    Finding finding = sample_finding();
    change(finding);
    return repetition_key(finding);
  };
  std::string same = repetition_key(sample_finding());
  EXPECT_EQ(same, key_after([](Finding& f) { f.accesses[0].address = 0x9990; }));
  EXPECT_NE(same, key_after([](Finding& f) { f.accesses[1].kind = AccessKind::Write; }));
  EXPECT_NE(same, key_after([](Finding& f) { f.accesses[0].stack[0].location.line = 13; }));
  EXPECT_NE(same, key_after([](Finding& f) { f.accesses[0].stack[0].location.column = 1; }));
}

TEST(Evidence, OfAKind_IsCountedAndTheStrongestComesFirst) {
  Finding finding = sample_finding();
  EXPECT_EQ(finding.evidence, (std::vector<Evidence>{{EvidenceKind::Observed, 1}}));
  add_evidence(finding, {EvidenceKind::NotProved, 1});
  add_evidence(finding, {EvidenceKind::Suspected, 1});
  add_evidence(finding, {EvidenceKind::Observed, 2});
  EXPECT_EQ(finding.evidence,
            (std::vector<Evidence>{
                {EvidenceKind::Observed, 3}, {EvidenceKind::Suspected, 1}, {EvidenceKind::NotProved, 1}}));
}

TEST(DefectKey, DiffersByPlaceAndAddressButNotByKind) {
  auto key_after = [](auto&& change) {
    Finding finding = sample_finding();
    change(finding);
    return defect_key(finding);
  };
  std::string same = defect_key(sample_finding());
  EXPECT_EQ(same, key_after([](Finding& f) { f.accesses[1].kind = AccessKind::Write; }));
  EXPECT_EQ(same, key_after([](Finding& f) { std::swap(f.accesses[0], f.accesses[1]); }));
  // A structure's copy reads one object and writes another at the same place: two defects.
  EXPECT_NE(same, key_after([](Finding& f) { f.accesses[0].address = f.accesses[1].address = 0x9990; }));
  EXPECT_NE(same, key_after([](Finding& f) { f.accesses[0].size = 1; }));
  EXPECT_NE(same, key_after([](Finding& f) { f.accesses[0].stack[0].location.column = 1; }));
}

TEST(Seal, SummaryAndLocationNameTheUsersLine) {
  Finding finding = sample_finding();
  EXPECT_EQ(finding.summary, "data race bank.cpp:12:15 in deposit(Account&, int)");
  finding.accesses[0].stack.insert(
      finding.accesses[0].stack.begin(),
      sample_frame("std::swap(int&, int&)", "/usr/include/c++/12/bits/move.h", 197, 7));
  seal(finding);
  EXPECT_EQ(finding.summary, "data race bank.cpp:12:15 in deposit(Account&, int)");
  EXPECT_EQ(finding.accesses[0].location.line, 12u);
}

TEST(Seal, WithoutLineInformation_SummaryNamesModuleAndOffset) {
  Finding finding = sample_finding();
  finding.accesses[0].stack = {sample_frame("deposit", "", 0, 0, "/bin/bank", 0x1188)};
  seal(finding);
  EXPECT_EQ(finding.summary, "data race (bank+0x1188) in deposit");
}

TEST(Seal, InterceptedFunction_IsNotBlamed) {
  Finding finding = sample_finding();
  finding.accesses[0].intercepted = "memcpy";
  finding.accesses[0].stack.insert(finding.accesses[0].stack.begin(), sample_frame("memcpy", "", 0, 0));
  seal(finding);
  EXPECT_EQ(finding.summary, "data race bank.cpp:12:15 in deposit(Account&, int)");
}

TEST(Seal, NoAccesses_StillHasSummaryAndFingerprint) {
  Finding finding;
  seal(finding);
  EXPECT_EQ(finding.summary, "data race");
  EXPECT_EQ(finding.fingerprint.size(), 16u);
}

TEST(Frames, BelowMainAndThreadEntry_AreCutOff) {
  Stack stack = {sample_frame("worker()", "/src/a.cpp", 3, 1),
                 sample_frame("void std::__invoke_impl<void, void (*)()>(std::__invoke_other, void (*&&)())",
                              "/usr/include/c++/12/bits/invoke.h", 61, 14),
                 sample_frame("std::thread::_State_impl<...>::_M_run()",
                              "/usr/include/c++/12/bits/std_thread.h", 211, 13),
                 sample_frame("", "", 0, 0, "/usr/lib/x86_64-linux-gnu/libstdc++.so.6", 0xd44a2),
                 sample_frame("clone3", "", 0, 0, "/lib/x86_64-linux-gnu/libc.so.6", 0x10)};
  EXPECT_EQ(visible_frames(stack), 1u);
  stack = {sample_frame("main", "", 0, 0, "/bin/a", 0x10), sample_frame("_start", "", 0, 0, "/bin/a", 0x20)};
  EXPECT_EQ(visible_frames(stack), 1u);
}

TEST(Frames, UsersFrames_AreNeverCutOff) {
  // A user's function that is named like a trampoline, below library code that calls back.
  Stack stack = {sample_frame("less(int, int)", "/src/a.cpp", 1, 1),
                 sample_frame("std::sort<int*>(int*, int*)", "/usr/include/c++/12/bits/stl_algo.h", 4820, 1),
                 sample_frame("start_thread", "/src/a.cpp", 9, 1)};
  EXPECT_EQ(visible_frames(stack), 3u);
  EXPECT_EQ(visible_frames({sample_frame("run_worker", "", 0, 0, "/bin/stripped", 0x10)}), 1u);
  EXPECT_EQ(visible_frames({sample_frame("g_thread_proxy", "", 0, 0, "/lib/libglib-2.0.so.0", 0x10)}), 1u);
}

TEST(Frames, OnlyLibraryCode_KeepsAtLeastOne) {
  Stack stack = {
      sample_frame("std::vector<int>::push_back(int const&)", "/usr/include/c++/12/bits/stl_vector.h", 1, 1),
      sample_frame("clone", "", 0, 0, "/lib/libc.so.6", 0x10)};
  EXPECT_EQ(visible_frames(stack), 1u);
  EXPECT_EQ(visible_frames({sample_frame("clone", "", 0, 0)}), 1u);
  EXPECT_EQ(visible_frames({}), 0u);
}

TEST(Names, AreReadable) {
  EXPECT_EQ(readable_name("main"), "main");
  EXPECT_EQ(readable_name("_Z7depositR7Accounti"), "deposit(Account&, int)");
  EXPECT_EQ(readable_name("_Z1fRSt6vectorINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESaIS5_EE"),
            "f(std::vector<std::string>&)");
  EXPECT_EQ(readable_name("_Z4nameB5cxx11v"), "name()");
  EXPECT_EQ(readable_name("_Z1fv.cold"), "f()");
  EXPECT_EQ(readable_name("_Z1fRSt3mapIiSt10unique_ptrIiSt14default_deleteIiEESt4lessIiESaISt4pairIKiS3_EEE"),
            "f(std::map<int, std::unique_ptr<int>, std::less<int>>&)");
  EXPECT_EQ(readable_name("_Znonsense"), "_Znonsense");
  EXPECT_EQ(readable_name(""), "");
}

TEST(Names, PathsAreTidiedUnlessALinkMakesThemDiffer) {
  EXPECT_EQ(readable_path("/usr/lib/gcc/12/../../../include/c++/12/vector"), "/usr/include/c++/12/vector");
  EXPECT_EQ(readable_path("/src/./a.cpp"), "/src/a.cpp");
  std::string folder = testing::TempDir() + "/footrace_paths";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder + "/far/build");
  std::filesystem::create_directory_symlink(folder + "/far/build", folder + "/build");
  std::ofstream(folder + "/far/a.cpp") << "far";
  std::ofstream(folder + "/a.cpp") << "near";
  EXPECT_EQ(readable_path(folder + "/build/../a.cpp"), folder + "/build/../a.cpp");
  std::string tidy = readable_path(folder + "/far/build/../a.cpp");
  EXPECT_TRUE(tidy.ends_with("/footrace_paths/far/a.cpp")) << tidy;
  std::filesystem::remove_all(folder);
}

TEST(Spelling, RoundTripsAndRejectsUnknown) {
  for (AccessKind kind : {AccessKind::Read, AccessKind::AtomicWrite, AccessKind::Free})
    EXPECT_EQ(from_text<AccessKind>(to_text(kind)), kind);
  EXPECT_EQ(to_text(Region::ThreadLocal), "tls");
  EXPECT_FALSE(from_text<AccessKind>("peek"));
  EXPECT_EQ(to_hex(0), "0x0");
  EXPECT_EQ(to_hex(0xdeadbeef01), "0xdeadbeef01");
}

TEST(Frames, RuntimeCode_IsToldFromTheUsersNamespaceOfTheSameName) {
  EXPECT_TRUE(has_runtime_code(sample_frame("__footrace_pthread_entry", "", 0, 0, "/bin/program", 0x10)));
  EXPECT_TRUE(has_runtime_code(
      sample_frame("footrace::(anonymous namespace)::trampoline(int)", "", 0, 0, "/bin/program", 0x10)));
  EXPECT_TRUE(has_runtime_code(sample_frame("footrace::run_once_routine()", "/src/runtime/sync_calls.cpp", 4,
                                            1, "/bin/program", 0x10)));
  EXPECT_FALSE(
      has_runtime_code(sample_frame("footrace::lap()", "/home/user/race.cpp", 4, 1, "/bin/program", 0x10)));
}

} // namespace
} // namespace footrace::findings
