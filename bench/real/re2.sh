build() {
  perl re2/re2/make_perl_groups.pl >perl_groups.cc
  $CXX $FLAGS -std=c++17 -w -Ire2 "$RECIPES/re2_search.cpp" "$RECIPES/re2_tables.cpp" perl_groups.cc re2/re2/*.cc \
    re2/util/rune.cc re2/util/strutil.cc -pthread -o search
}
run() { "$B/search" 4 "$INPUT"; }
