build() {
  cd leveldb
  rm -f db/leveldbutil.cc util/*windows*
  $CXX $FLAGS -std=c++17 -w -DLEVELDB_PLATFORM_POSIX=1 -DHAVE_FDATASYNC=1 -DHAVE_O_CLOEXEC=1 -DHAVE_CRC32C=0 \
    -DHAVE_SNAPPY=0 -DHAVE_FULLFSYNC=0 -I. -Iinclude \
    $(ls db/*.cc table/*.cc util/*.cc | grep -v _test.cc) benchmarks/db_bench.cc -pthread -lgtest -o ../db_bench
}
# Times differ from run to run; that every benchmark ended does not.
run() {
  "$B/db_bench" --benchmarks=fillrandom,readrandom,overwrite,readseq --threads=4 --num=$((SCALE * 10000)) \
    --db="$PWD/db" | sed -n 's|^\([a-z]*\) *:.*micros/op.*|\1|p'
}
