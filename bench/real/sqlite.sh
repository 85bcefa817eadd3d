# threadtest4 of sqlite, without its shared cache and VACUUM: with them it gives up at random ("Deadlock in thread").
build() {
  mkdir build
  cd build
  ../sqlite3/configure -q --disable-tcl --disable-readline
  make -s sqlite3.c
  sed -e 's/sqlite3_enable_shared_cache(1);//' -e '/"VACUUM"/d' ../sqlite3/test/threadtest4.c >threadtest4.c
  $CC $FLAGS -w -DSQLITE_DEFAULT_SYNCHRONOUS=0 -DSQLITE_DEFAULT_WAL_SYNCHRONOUS=0 -DHAVE_USLEEP=1 -I. \
    threadtest4.c sqlite3.c -ldl -lm -pthread -o ../threadtest4
}
run() {
  for _ in $(seq "$SCALE"); do "$B/threadtest4" -wal 4 | grep Total; done
}
