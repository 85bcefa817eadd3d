#!/bin/sh
# The wrappers as the compiler of CMake, of configure and make, and under ccache.
. "$(dirname "$0")/expect.sh"

mkdir project && cd project || exit 1
cp "$here/programs/clean.cpp" "$here/programs/racy.c" .
echo 'int twice(int x) { return 2 * x; }' >twice.c
cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(sample LANGUAGES C CXX)
find_package(Threads REQUIRED)
include(CheckSymbolExists)
check_symbol_exists(pthread_create pthread.h HAVE_PTHREAD_CREATE)
if(NOT HAVE_PTHREAD_CREATE OR NOT CMAKE_C_COMPILER_ID STREQUAL Clang OR NOT CMAKE_CXX_COMPILER_VERSION MATCHES "^22")
  message(FATAL_ERROR "the compiler was not recognised")
endif()
if(CMAKE_C_IMPLICIT_LINK_LIBRARIES MATCHES footrace_rt OR CMAKE_CXX_IMPLICIT_LINK_LIBRARIES MATCHES footrace_rt)
  message(FATAL_ERROR "CMake takes the runtime for a library of the language: it would get into shared libraries")
endif()
add_library(twice SHARED twice.c)
target_link_options(twice PRIVATE -Wl,-z,defs)
add_executable(race_free clean.cpp)
target_link_libraries(race_free PRIVATE Threads::Threads twice)
add_executable(racy racy.c)
CMAKE
cd ..
expect "cmake configures" 0 -- cmake -S project -B cmake-build -G Ninja -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx"
expect "cmake builds" 0 -- cmake --build cmake-build
expect "cmake's program runs" 0 stdout 'thread_sanitizer 1' -- cmake-build/race_free
expect "cmake's racy program" 66 -- cmake-build/racy

# Link-time optimisation, as CMake switches it on: it looks for an archiver with the compiler's prefix.
mkdir lto
cp project/racy.c project/twice.c lto/
cat >lto/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(lto LANGUAGES C CXX)
include(CheckIPOSupported)
check_ipo_supported()
set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
add_library(twice STATIC twice.c)
add_executable(racy racy.c)
target_link_libraries(racy PRIVATE twice)
CMAKE
expect "cmake configures with link-time optimisation" 0 -- cmake -S lto -B lto-build -G Ninja -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx"
expect "cmake builds with link-time optimisation" 0 -- cmake --build lto-build
expect "cmake's racy program with link-time optimisation" 66 -- lto-build/racy
expect "the archiver is that of clang" 0 stdout 'LLVM version 22' -- "${cc%footrace-clang}footrace-llvm-ar" --version

# In the manner of autoconf: probes by compiling, linking, running, and by options that only other compilers know.
cat >project/configure <<'CONFIGURE'
#!/bin/sh
set -e
for option in --version -v; do $CC $option >/dev/null 2>&1; done
for option in -V -qversion -version; do $CC $option >/dev/null 2>&1 && echo "surprised by $option" || :; done
echo 'int main(void) { return 0; }' >conftest.c
$CC $CFLAGS conftest.c -o conftest && ./conftest
$CC -E conftest.c >/dev/null
echo 'int main(void) { return pthread_create_that_is_not_there(); }' >conftest.c
if $CC $CFLAGS -Wno-implicit-function-declaration conftest.c -o conftest 2>/dev/null; then echo "links what does not exist"; exit 1; fi
echo '#include <stdio.h>
int main(void) { FILE* f = fopen("conftest.out", "w"); return !f || fprintf(f, "%d", (int)sizeof(long)) < 0 || fclose(f); }' >conftest.c
$CC $CFLAGS conftest.c -o conftest && ./conftest && test "$(cat conftest.out)" = 8
sed "s|@CC@|$CC|; s|@CFLAGS@|$CFLAGS|" Makefile.in >Makefile
CONFIGURE
printf 'CC = @CC@\nCFLAGS = @CFLAGS@\nracy: racy.o\n\t$(CC) $(CFLAGS) -o $@ $^ -lpthread\nracy.o: racy.c\n\t$(CC) $(CFLAGS) -MMD -c $<\n' >project/Makefile.in
expect "configure" 0 -- sh -c 'cd project && CC="$0" CFLAGS="-g -O2 -Wall -Werror" sh ./configure' "$cc"
expect "make" 0 -- make -C project racy
expect "make's program" 66 -- project/racy

command -v ccache >/dev/null || finish
export CCACHE_DIR="$work/ccache" CCACHE_NODIRECT=
unset CCACHE_NODIRECT CCACHE_DISABLE CCACHE_READONLY
hits() { ccache --print-stats | awk '/^(direct|preprocessed)_cache_hit/ { n += $2 } END { print n + 0 }'; }
expect "ccache, first time" 0 -- ccache "$cc" -O1 -c project/racy.c -o first.o
expect "no hit yet" 0 -- test "$(hits)" = 0
expect "ccache, second time" 0 -- ccache "$cc" -O1 -c project/racy.c -o second.o
expect "a hit" 0 -- test "$(hits)" = 1
expect "the same object" 0 -- cmp first.o second.o
expect "ccache's object links" 0 -- "$cc" second.o -o cached
expect "ccache's object is instrumented" 66 -- ./cached
# A rebuilt pass or runtime gives a rebuilt driver (driver/CMakeLists.txt), and that is what ccache looks at.
mkdir -p other && cp -r "$tree/bin" "$tree/lib" "$tree/libexec" other/
printf 'x' >>other/bin/footrace
expect "ccache, another driver" 0 -- ccache other/bin/footrace-clang -O1 -c project/racy.c -o third.o
expect "no hit for another driver" 0 -- test "$(hits)" = 1
finish
