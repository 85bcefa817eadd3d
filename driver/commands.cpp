#include "driver/commands.h"

#include "llvm/ADT/StringRef.h"

namespace footrace::driver {

#define FOOTRACE_COMPILE_OPTIONS_HELP                                                                        \
  "  --preset=NAME          how checks are placed: fasttrack (at every access), redcard,\n"                  \
  "                         slimstate, slimcard, bigfoot (the default); docs/pass.md says what they do\n"    \
  "  --precision=address    no race may hide another one (default: trace)\n"                                 \
  "  --lto=link             with -flto: place checks in the link step, where calls into other files are "    \
  "known;\n"                                                                                                 \
  "                         for compiling and for linking, which lld does (default: compile)\n"              \
  "  --embed-summary        with -c: put what 'footrace scan --merge' needs into the object file\n"          \
  "  --footrace-print-commands  show the clang command that is run\n"
#define FOOTRACE_RUN_OPTIONS_HELP                                                                            \
  "  --findings FILE        write each finding as one line of JSON as well\n"                                \
  "  --log-path FILE        write reports to FILE.<pid> instead of standard error\n"                         \
  "  --suppressions FILE    leave out what FILE names, in ThreadSanitizer's syntax\n"                        \
  "  --options 'k=v:k=v'    options of the runtime, added to the environment's FOOTRACE_OPTIONS\n"

static const Command commands[] = {
    {"check", "check FILE... [FLAGS] [-- ARGUMENTS]",
     "compile a program with instrumentation, run it, report its races",
     "\nFLAGS are clang's (-O2, -I, -D, -std=, -l...); the default is -O1 -g. ARGUMENTS go to the "
     "program.\n\n" //
     FOOTRACE_RUN_OPTIONS_HELP FOOTRACE_COMPILE_OPTIONS_HELP
     "  --stats                print what was checked, and what was not and why\n"
     "  --keep                 keep the program and say where it is\n\n"
     "Example: footrace check examples/bank.cpp\n",
     command_check},
    {"c++", "c++ CLANG-ARGUMENTS", "compile or link C++ with instrumentation, in place of clang++",
     "\nTakes every argument of clang++, and is also installed as footrace-clang++, for CMake and make:\n"
     "  cmake -DCMAKE_C_COMPILER=footrace-clang -DCMAKE_CXX_COMPILER=footrace-clang++ ...\n"
     "  ./configure CC=footrace-clang CXX=footrace-clang++\n\n" //
     FOOTRACE_COMPILE_OPTIONS_HELP
     "  --stats                print the accesses that are not checked, by reason\n\n"
     "FOOTRACE_CLANG names another clang 22 to run.\n",
     command_cxx},
    {"cc", "cc CLANG-ARGUMENTS", "compile or link C with instrumentation, in place of clang",
     "\nAs 'c++', for C. Also installed as footrace-clang. See 'footrace help c++'.\n", command_cc},
    {"run", "run [OPTIONS] -- PROGRAM [ARGUMENTS]", "run an instrumented program and collect its findings",
     "\nPROGRAM is a file, or a name that is looked up on PATH; it may be a script that starts instrumented "
     "programs.\nOf one that is not instrumented, as ctest or make, all programs are followed that it "
     "starts: their "
     "findings go to one\nfile (default: findings.jsonl), and are summed up at the end.\n\n" //
     FOOTRACE_RUN_OPTIONS_HELP "  --stats                print counts when the program ends\n"
     "  --follow               follow what PROGRAM starts, whatever it is, and sum up\n"
     "  --baseline FILE        likewise; races that are in FILE are known, and let no program fail\n\n"
     "Example: footrace run -- ctest --test-dir build-race\n"
     "An instrumented program also runs by itself; this command only sets its options.\n",
     command_run},
    {"record", "record [-o FILE] [OPTIONS] -- PROGRAM [ARGUMENTS]",
     "run an instrumented program and write down what its threads did, as a trace",
     "\nReports races as 'run' does, and writes a trace for 'footrace trace' and every analysis of traces: "
     "docs/record.md. PROGRAM\nmay be a script; the first instrumented process has FILE, others have "
     "FILE.PID. "
     "A trace of a program that was killed can be\nread up to there.\n\n"
     "  -o FILE                the trace (default: run.ftr)\n"
     "  --all                  every access that has a check, also those that add nothing to happens-before; "
     "with a build\n"
     "                         of --preset=fasttrack that is every access\n"
     "  --follow               record what PROGRAM starts, whatever it is\n" //
     FOOTRACE_RUN_OPTIONS_HELP "  --stats                print counts when the program ends\n\n"
     "Example: footrace record -o bank.ftr -- ./bank\n",
     command_record},
    {"replay", "replay TRACE [--detector=NAMES] [OPTIONS]",
     "find races in a recorded trace, with any detector of the papers",
     "\nTRACE is a trace of 'footrace record', or text (docs/events.md; STD traces of other tools). "
     "docs/replay.md explains the\ndetectors, and what each of them promises:\n\n"
     "  --detector=NAME[,NAME] FastTrack (the default), SlimState, DJIT+, BasicVC, Goldilocks: precise, the "
     "first race "
     "of every "
     "byte\n"
     "                         SHB, SyncP: predictive, also races of other orders of the trace\n"
     "                         Eraser, MultiRace, FastTrackCoarse: imprecise, for comparison; Empty\n"
     "  --detector=all         all of them, and the table of their costs\n"
     "  --detector=PREFILTER:CHECKER  Atomizer or Velodrome (blocks that are not atomic), or SingleTrack "
     "(nondeterminism),\n"
     "                         behind None, TL, Eraser, DJIT+ or FastTrack, which leave out accesses that "
     "are free of races; all:all\n"
     "  --stats                that table for the detectors that are named\n"
     "  --no-times             leave its times out, so that it is the same in every run\n"
     "  --writes-read          a write of TRACE may stand for a read before it, as in 'x++': so it is in "
     "traces of "
     "'footrace record',\n"
     "                         also printed ones, and predictive detectors have to know\n"
     "  --findings FILE        write each finding as one line of JSON as well\n"
     "  --quiet                do not print the findings\n"
     "  --shards N --shard I   only a part of the memory, I from 0 to N-1, for N processes side by side\n"
     "  --merge FILES          join the findings of the shards\n\n"
     "Example: footrace replay run.ftr --detector=FastTrack,SyncP\n"
     "Exits with 66 if there are findings, 2 if the trace cannot be read.\n",
     command_replay},
    {"trace", "trace print|stat|slice|validate FILE [OPTIONS]",
     "print a trace, count its events, cut a part out of it, or check that it is one",
     "\nFILE is what 'footrace record' has written (docs/trace-format.md), or a trace as text "
     "(docs/events.md).\n\n"
     "  print                  one event per line, as text; --std: in the form of other tools\n"
     "  stat                   how many events of each kind and thread, and bytes per event\n"
     "  slice                  write a part as another trace: what synchronises, and the accesses that are "
     "wanted\n"
     "  validate               each event can happen where it stands; a recording that ended early says "
     "so\n\n"
     "  -o FILE                slice: the trace to write\n"
     "  --limit N              only the first N events\n"
     "  --address A            slice: only accesses to A, or of A+SIZE to that many bytes\n"
     "  --threads LIST         slice: only accesses of these threads, as 0,2\n"
     "  --std                  print: thread|op(operand)|place, with locks in place of what STD does not "
     "have\n\n"
     "Exits with 2 if the trace cannot be read or is not possible.\n",
     command_trace},
    {"report", "report [FILES] [--FORMAT FILE]...",
     "show findings of many runs, scans and proofs as one list, for people and for other tools",
     "\nFILES are what --findings wrote (default: findings.jsonl; '-': standard input). Findings with the "
     "same "
     "fingerprint are one;\nwhat each run and analysis says about it is counted. '-' as FILE is standard "
     "output.\n\n"
     "  --text FILE            a list for terminals (default: --text -)\n"
     "  --html FILE            one page with sources, stacks and pictures, that needs nothing else\n"
     "  --json FILE            one finding per line, as docs/findings.md has it; can be read again\n"
     "  --sarif FILE           SARIF 2.1.0, for GitHub code scanning and editors\n"
     "  --gitlab FILE          GitLab's code quality report\n"
     "  --junit FILE           JUnit's XML, for CI servers\n"
     "  --github FILE          annotations of GitHub Actions\n"
     "  --lines FILE           as compilers write, 'file:line:column: error: ...', for editors\n"
     "  --baseline FILE        findings of before: says which are new, known and fixed\n"
     "  --db FILE              add this run to a database; says when each finding was first seen, and how "
     "often\n"
     "  --commit NAME          what was run, for the database\n"
     "  --suppressions FILE    leave out what FILE names\n"
     "  --suppress ID          add a finding to that file (default: footrace.supp)\n"
     "    --reason TEXT        why\n"
     "    --until DATE         the last day on which it is suppressed, as 2027-01-31\n"
     "  --root DIR             paths below DIR are written relative to it (default: this folder)\n"
     "  --all                  also list what needs no action, and each finding by itself\n\n"
     "Exits with 66 if a finding needs action: it is not suppressed, not proved safe and, with a baseline, "
     "new. 1 if there is\nnone but a file is damaged, 2 if one cannot be read.\n",
     command_report},
    {"explain", "explain ID [FILES]",
     "say in words why a finding is a race, what protects its memory, and what might be done",
     "\nID is what 'footrace report' prints, or the beginning of it. FILES are as for 'report'.\n\n"
     "  --root DIR             paths below DIR are printed relative to it (default: this folder)\n",
     command_explain},
    {"explain-checks", "explain-checks FILE [FLAGS]",
     "show a source file with the checks of each line, and why others went",
     "\nCompiles FILE with clang's FLAGS (default: -O2) and prints it. Below each line: what it accesses and "
     "whether that is "
     "checked,\nor by which rule of the papers a check elsewhere covers it; and the checks that stand for "
     "several accesses.\n\n" //
     FOOTRACE_COMPILE_OPTIONS_HELP "\nExample: footrace explain-checks --preset=bigfoot examples/bank.cpp\n",
     command_explain_checks},
    {"scan", "scan [-p BUILD] [FILES] [-- FLAGS]",
     "find races by reading the source, without running anything",
     "\nReads the translation units of BUILD/compile_commands.json (only FILES, if given), or FILES with "
     "clang's FLAGS, and reports\n"
     "races between methods that may run at the same time. Every report is a race under the assumptions of "
     "docs/scan.md.\n\n"
     "  --domain=stability     what protects an access: stable paths (RacerDX, the default) or\n"
     "  --domain=ownership     ownership (RacerD), for comparison\n"
     "  --windows              also races with a thread that was given its turn through an atomic and is at "
     "work\n"
     "  --stats                also how many pairs were not reported, by reason, and what was left out\n"
     "  --explain=MEMORY       also, of what has MEMORY in its name: which accesses conflict and why they "
     "are not "
     "reported\n"
     "  --format=text|json     what is printed\n"
     "  --findings FILE        write each finding as one line of JSON as well\n"
     "  --witness[=FOLDER]     for each race, write a test that makes it happen, compile and run it; what "
     "the\n"
     "                         runtime then sees is marked as confirmed (default: footrace-witnesses)\n"
     "  --witness-flags 'F..'  what the tests are linked with besides, as -lNAME\n"
     "  --cache FOLDER         keep what was read between runs (default with -p: BUILD/.footrace-scan)\n"
     "  --no-cache             read every file again\n"
     "  -j N                   files read at once\n"
     "  --unit FILE -o OUT     read one file only and write its unit, for build systems and clusters\n"
     "  --depfile FILE         with --unit: the files that it was made from, for make and ninja\n"
     "  --list                 with -p: the sources, one per line, for whatever makes units elsewhere\n"
     "  --merge FILES          findings of units that were made before, also inside of objects and archives "
     "that\n"
     "                         'footrace c++ --embed-summary' compiled; with --cache only what changed is "
     "analysed\n"
     "  --dump-il              print the program as the analysis sees it\n\n"
     "Exits with 66 if races were found, 0 if not, 1 if nothing was found but files could not be read in "
     "full, 2 for a wrong command.\n",
     command_scan},
    {"prove", "prove [-p BUILD] FILE... [OPTIONS] [-- CLANG-OPTIONS]",
     "prove that a whole program has no data race in any run, or list the pairs that remain",
     "\nFILES are the whole program: C, C++, LLVM bitcode or assembly, or objects, archives and executables "
     "built with\n"
     "'footrace c++ -fprove'. With -p, the sources of a build, or those that are named. docs/prove.md "
     "explains the stages.\n\n"
     "  -p BUILD               take sources and flags from BUILD/compile_commands.json\n"
     "  --main FILE            the source with the main that is meant, if the build makes several programs\n"
     "  -k N                   call sites in a context (default 1)\n"
     "  --collapse-arrays      take all elements of an array for one, also with constant indices\n"
     "  --format FORMAT        text, json (one finding per line) or sv (true, false or unknown)\n"
     "  --findings FILE        write each pair, or that there is none, as one line of JSON as well\n"
     "  --proofs FILE          write the accesses that are race-free, for 'footrace c++ --use-proofs=FILE'\n"
     "  --confirm[=RUNS]       build the program with the detector and run it (6 times), with delays at the "
     "pairs\n"
     "  --confirm-argument A   an argument of the program for these runs; once for each\n"
     "  --stats                print what is left after each stage\n"
     "  --progress             say which stage runs\n"
     "  --timeout SECONDS      then the verdict is UNKNOWN, with the pairs so far\n"
     "  --memory-limit MB      likewise\n"
     "  --allow-unmodelled     take what is not modelled to be harmless\n"
     "  --assume queue-transfer  who takes an object out of a queue is the only one who has it\n"
     "  --most-pairs N         pairs that are shown as text (default 100; 0: all)\n"
     "  -j N                   files compiled at once\n\n"
     "Exits with 0 if the program is RACE-FREE, 66 if pairs remain, 3 if the verdict is UNKNOWN, 2 for a "
     "wrong command, 1 if a\n"
     "file cannot be compiled or read.\n",
     command_prove},
    {"bench", "bench [OPTIONS]", "measure every preset and ThreadSanitizer side by side, from a checkout",
     "\nBuilds the programs of bench/programs with each tool, runs them in turn, and prints slowdowns, check "
     "ratios and\nmemory. docs/benchmarks.md explains the columns.\n\n"
     "  --programs A,B         only these programs; of idioms also all of a kernel\n"
     "  --presets A,B          only these presets (base and tsan always run); 'bigfoot+proofs' leaves out "
     "the checks of\n"
     "                         what 'footrace prove' proves race-free\n"
     "  --threads 1,2,4,8      threads of each program (default 2); a list gives the scaling curve\n"
     "  --size SIZE            small, default or large\n"
     "  --runs N               runs of each; the best counts (default 3)\n"
     "  --json FILE            all figures as JSON\n"
     "  --html FILE            charts, in one file (default: bench.html in the build directory)\n"
     "  --results FILE         rewrite this run's section of a Markdown page (docs/results.md)\n"
     "  --build-dir DIR        where programs are built and kept (default: build/bench of the checkout)\n"
     "  --idioms               the papers' kernels in several styles instead\n"
     "  --real                 real programs from Debian source packages instead\n"
     "  --scaling              cost as data, threads, locks and live threads grow instead\n\n"
     "Exits with 1 if a checksum was wrong, a race-free program raced, or a race was missed.\n",
     command_bench},
    {"flags", "flags compile | flags link OBJECT | flags link-shared",
     "print what the wrappers add to clang's command line",
     "\nFor build systems that call clang 22 themselves. One option per line, its values after tabs. OBJECT "
     "is a file that\n"
     "'flags link' writes and names in its output: it tells the program where the reporter is.\n",
     command_flags},
    {"completion", "completion bash | zsh | fish", "print what makes a shell complete commands and options",
     "\nOf an installed package it is in place already. By hand:\n"
     "  . <(footrace completion bash)      in ~/.bashrc; likewise with zsh in ~/.zshrc, after compinit\n"
     "  footrace completion fish | source  in ~/.config/fish/config.fish\n",
     command_completion},
    {"help", "help [--man] [COMMAND | options]", "explain a command, or the options of the runtime",
     "\n"
     "  --man                  print the manual page instead, for 'man -l -'\n",
     command_help},
    {"version", "version", "print the versions of Footrace and of LLVM", "", command_version},
};

std::span<const Command> all_commands() { return commands; }

const Command* find_command(const std::string& name) {
  for (const Command& command : commands)
    if (name == command.name) return &command;
  return nullptr;
}

std::string nearest_name(const std::string& name) {
  std::string nearest;
  unsigned best = 3; // farther than two letters is a guess
  for (const Command& command : commands) {
    unsigned distance = llvm::StringRef(command.name).edit_distance(name, /*AllowReplacements=*/true, best);
    if (distance >= best || distance >= name.size()) continue;
    best = distance;
    nearest = command.name;
  }
  return nearest;
}

} // namespace footrace::driver
