#!/bin/sh
# The wrappers take what clang takes.
. "$(dirname "$0")/expect.sh"
clean=$here/programs/clean.cpp
racy=$here/programs/racy.c
printf 'int twice(int x) { return 2 * x; }\n' >twice.c
printf 'extern "C" int twice(int); int main() { return twice(3) - 6; }\n' >main.cpp
has_checks() { "$tree_nm" "$1" | grep -q 'U __footrace_'; }
has_checks_of_writes() { "$tree_nm" "$1" | grep -q 'U __footrace_write'; }
tree_nm=$(command -v llvm-nm-22 || echo nm)

expect "--version is clang's" 0 stdout '^.*clang version 22' -- "$cxx" --version
expect "-dumpmachine is clang's" 0 stdout 'x86_64' -- "$cc" -dumpmachine
expect "-v without inputs links nothing" 0 stderr 'clang version' -- "$cxx" -v
for level in 0 1 2 3 s; do
  expect "-O$level" 0 -- "$cxx" -O$level -Werror "$clean" -o clean
  expect "-O$level runs" 0 stdout 'value 1, thread_sanitizer 1' -- ./clean
done
expect "-c" 0 -- "$cc" -O1 -c -Werror "$racy" -o racy.o
expect "-c instruments" 0 -- has_checks racy.o
expect "-c -g" 0 -- "$cc" -c -g "$racy" -o racy.o
expect "link" 0 -- "$cc" racy.o -o racy
expect "race" 66 -- ./racy

# Objects for ThreadSanitizer's runtime; functions of its interface that programs call are no such thing.
plain_clang=$(command -v clang-22 || echo clang)
printf 'int shared;\nint twice(int x) { shared = x; return 2 * x; }\n' >writes.c
"$plain_clang" -fsanitize=thread -fPIC -c writes.c -o tsan.o
ar rcs libtsan_part.a tsan.o
"$plain_clang" -shared -fPIC tsan.o -o libtsan_part.so
expect "an object for ThreadSanitizer" 2 stderr "'tsan.o' was compiled for ThreadSanitizer's runtime" -- "$cxx" main.cpp tsan.o -o main
expect "an archive with one" 2 stderr "'libtsan_part.a\(tsan.o\)' was compiled for" -- "$cxx" main.cpp libtsan_part.a -o main
expect "a library of one" 2 stderr "'./libtsan_part.so' was compiled for" -- "$cxx" main.cpp ./libtsan_part.so -o main
expect "into a library" 2 stderr "'tsan.o' was compiled for" -- "$cxx" -shared tsan.o -o libmine.so
printf 'extern "C" void __tsan_acquire(void*); extern "C" int twice(int x) { __tsan_acquire(&x); return 2 * x; }\n' >annotated.cpp
expect "annotated code" 0 -- "$cxx" -c annotated.cpp -o annotated.o
expect "annotated code links" 0 -- "$cxx" main.cpp annotated.o -o main
expect "a damaged object is the linker's" 1 stderr 'damaged.o' -- sh -c 'head -c 100 tsan.o >damaged.o; "$0" main.cpp damaged.o -o main' "$cxx"
expect "-S" 0 -- "$cc" -S -Werror twice.c -o twice.s
expect "assembler input" 0 -- "$cc" -c -Werror twice.s -o twice.o
expect "-E" 0 stdout 'int twice' -- "$cc" -E twice.c
expect "-M" 0 stdout 'twice.o: twice.c' -- "$cc" -M twice.c
expect "-MD" 0 -- "$cc" -MD -MF twice.d -c twice.c -o twice.o
expect "-MD writes the file" 0 stdout 'twice.o: twice.c' -- cat twice.d
expect "-fsyntax-only" 0 -- "$cxx" -fsyntax-only -Werror main.cpp
expect "C and C++ objects" 0 -- "$cxx" main.cpp twice.o -o both
expect "C and C++ objects run" 0 -- ./both
expect "several inputs" 0 -- "$cc" -x c++ main.cpp -x c twice.c -lstdc++ -o both
expect "several inputs run" 0 -- ./both
expect "-r" 0 -- "$cc" -r twice.o racy.o -o merged.o
expect "-r then link" 0 -- "$cc" merged.o -o merged
expect "-x c -" 0 -- sh -c 'echo "int main(void) { return 0; }" | "$0" -x c - -o stdin && ./stdin' "$cc"
expect "-- before files" 0 -- "$cc" -o dashed -- "$racy"
expect "-no-pie" 0 -- "$cc" -no-pie "$racy" -o nopie
expect "-no-pie runs" 66 -- ./nopie
expect "-g0 wins over our line tables" 0 -- "$cc" -g0 -c twice.c -o twice.g0.o
expect "-g0 leaves no lines" 1 -- sh -c "${tree_nm%nm*}objdump${tree_nm##*nm} -h twice.g0.o | grep -q debug_line"

printf '%s\n' "-c -O2" "'$racy'" "-o response.o" >inner.rsp
echo "@inner.rsp -fsanitize=thread" >outer.rsp
expect "@response" 0 -- "$cc" @outer.rsp
expect "@response instruments" 0 -- has_checks response.o
expect "-fsanitize=thread is replaced" 0 -- "$cc" -fsanitize=thread "$racy" -o replaced
expect "-fsanitize=thread is replaced, runs" 66 -- ./replaced
expect "-fsanitize=undefined stays" 0 -- "$cc" -fsanitize=undefined,thread "$racy" -o ubsan
echo 'src:*racy.c' >ignored.txt
expect "-fsanitize-ignorelist" 0 -- "$cc" -Werror -fsanitize-ignorelist=ignored.txt -c "$racy" -o ignored.o
expect "-fsanitize-ignorelist leaves checks off" 1 -- has_checks_of_writes ignored.o
expect "-fno-sanitize-ignorelist" 0 -- "$cc" -fsanitize-ignorelist=ignored.txt -fno-sanitize-ignorelist -c "$racy" -o ignored.o
expect "-fno-sanitize-ignorelist takes it back" 0 -- has_checks_of_writes ignored.o
expect "a missing ignore list" 1 stderr 'nope.txt' -- "$cc" -fsanitize-ignorelist=nope.txt -c "$racy" -o ignored.o

expect "-shared with -z defs" 0 -- "$cc" -shared -fPIC -Wl,-z,defs "$racy" -o libracy.so
expect "-shared has no runtime" 1 -- sh -c "'$tree_nm' -D --defined-only libracy.so | grep -q __footrace_"
printf 'int main(void);\nint twice(int);\nint caller(void) { return twice(2); }\n' >caller.c
expect "-shared, then its program" 0 -- "$cc" -shared -fPIC twice.c -o libtwice.so
expect "program of a shared library" 0 -- "$cxx" main.cpp -L. -ltwice -Wl,-rpath,"$work" -o usesshared
expect "program of a shared library runs" 0 -- ./usesshared

for linker in ld lld; do
  command -v ld.lld-22 >/dev/null || [ $linker = ld ] || continue
  for lto in full thin; do
    expect "-flto=$lto with $linker" 0 -- "$cc" -O2 -flto=$lto -fuse-ld=$linker "$racy" -o lto
    expect "-flto=$lto with $linker runs" 66 -- ./lto
  done
done
expect "-flto in two steps" 0 -- sh -c '"$0" -O2 -flto -c "$1" -o lto.o && "$0" -flto lto.o -o lto' "$cc" "$racy"
expect "-flto in two steps runs" 66 -- ./lto
# The step that has the checks can be chosen; a link that does not know of it fails.
for lto in full thin; do
  expect "--lto=link -flto=$lto, compile" 0 -- "$cc" --lto=link -O2 -flto=$lto -c "$racy" -o lto.o
  expect "--lto=link -flto=$lto, link" 0 -- "$cc" --lto=link -O2 -flto=$lto lto.o -o lto
  expect "--lto=link -flto=$lto runs" 66 -- ./lto
  expect "--lto=link -flto=$lto, another link" 1 stderr '__footrace_link_step_without_load_pass_plugin' -- \
    "$cc" -O2 -flto=$lto -fuse-ld=lld lto.o -o lto
done
expect "--lto=link without optimisation" 0 -- "$cc" --lto=link -O0 -flto=thin "$racy" -o lto
expect "--lto=link without optimisation runs" 66 -- ./lto
expect "--lto=link without -flto" 0 -- "$cc" --lto=link -O2 "$racy" -o lto
expect "--lto=link without -flto runs" 66 -- ./lto
expect "--lto with an unknown step" 2 stderr "link" -- "$cc" --lto=never -c "$racy"

expect "--stats" 0 stderr '.' -- "$cc" --stats -c "$racy" -o stats.o
expect "--preset reaches the pass" 0 stderr 'footrace-preset=fasttrack' -- \
  "$cc" --preset=fasttrack --footrace-print-commands -c "$racy" -o preset.o
expect "--preset instruments" 0 -- has_checks preset.o
expect "--footrace-print-commands" 0 stderr 'fpass-plugin' -- "$cc" --footrace-print-commands -c "$racy" -o stats.o
expect "FOOTRACE_CLANG" 0 stderr '/clang-22 ' -- env FOOTRACE_CLANG=clang-22 "$cc" --footrace-print-commands -c "$racy" -o x.o
mkdir -p 'a b,c' && cp -r "$tree/bin" "$tree/lib" "$tree/libexec" 'a b,c/'
expect "a tree with spaces and commas" 0 -- 'a b,c/bin/footrace-clang' "$racy" -o moved
expect "a tree with spaces and commas runs" 66 -- ./moved
expect "the program knows that tree" 0 -- grep -q "$work/a b,c/libexec/footrace/footrace-reporter" moved
finish
