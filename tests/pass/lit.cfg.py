# Tests of the pass: IR or C++ in, FileCheck on the instrumented IR.
import os

import lit.formats

config.name = "footrace-pass"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".ll", ".c", ".cpp"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.footrace_binary_dir

config.environment["PATH"] = os.pathsep.join([config.llvm_tools_dir, config.environment.get("PATH", "")])

plugin = config.footrace_plugin
# What the driver passes: the front end marks functions for TSan, TSan's own instrumentation stays off.
frontend = " ".join(
    ["-Xclang -fsanitize=thread"]
    + ["-mllvm -tsan-instrument-%s=0" % what
       for what in ("memory-accesses", "atomics", "func-entry-exit", "memintrinsics")])
# Calls are easier to read than the test in line; inline_checks.ll is about the latter.
clang_flags = "%s -fpass-plugin=%s -mllvm -footrace-inline-checks=0" % (frontend, plugin)

config.substitutions.append(("%footrace", "opt -load-pass-plugin=%s -verify-each -footrace-inline-checks=0 -passes=footrace -S" % plugin))
config.substitutions.append(("%clangxx", "clang++ --target=x86_64-linux-gnu -std=c++20 " + clang_flags))
config.substitutions.append(("%clang", "clang --target=x86_64-linux-gnu " + clang_flags))
config.substitutions.append(("%opt_with_plugin", "opt -load-pass-plugin=%s" % plugin))
config.substitutions.append(("%plugin", plugin))
