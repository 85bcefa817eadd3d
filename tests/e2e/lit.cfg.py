# Most programs say `RUN: %e2e %s`: e2e-verify compiles them at each level, runs them and judges. The few that need
# other steps (strip, log files, a rejected link) write them out.
# Parameters: level=O2 for one level only, preset=bigfoot for one preset at every level.
import os
import lit.formats

config.name = "footrace-e2e"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".c", ".cpp"]
config.excludes = ["Inputs", "include", "marks.cpp", "process.cpp", "verify.cpp"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.e2e_output

# What the person running the suite exported must not change verdicts.
for name in ("FOOTRACE_OPTIONS", "TSAN_OPTIONS"):
    config.environment.pop(name, None)

compiler = os.path.join(config.footrace_bin, "footrace-clang")
include = os.path.join(config.test_source_root, "include")
verify = [config.e2e_verify, "--cc=" + compiler, "--cxx=" + compiler + "++",
          "--suite=" + config.test_source_root, "--work=%t.dir"]
for name in ("level", "preset"):
    if lit_config.params.get(name):
        verify.append("--%s=%s" % (name, lit_config.params[name]))

flags = " -D_GNU_SOURCE -pthread -g -I" + include
config.substitutions += [
    ("%e2e-v3", " ".join(verify + ["--flag=-march=x86-64-v3"])),
    ("%e2e", " ".join(verify)),
    ("%cxx", compiler + "++ -std=gnu++20" + flags),
    ("%cc", compiler + " -std=gnu17" + flags),
    ("%footrace", os.path.join(config.footrace_bin, "footrace")),
    ("%filecheck", config.filecheck),
    ("%llvm-tools", config.llvm_tools),
    ("%exits", os.path.join(config.test_source_root, "Inputs", "exits.sh")),
]

with open("/proc/cpuinfo") as cpuinfo:
    processor = cpuinfo.read().split()
for feature in ("avx2", "avx512f", "avx512vl", "cx16"):
    if feature in processor:
        config.available_features.add(feature)
if os.path.exists(os.path.join(os.path.dirname(config.llvm_tools), "lib", "libc++.so")):
    config.available_features.add("libcxx")
