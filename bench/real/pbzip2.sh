# With bzip2 compiled in: a library that is not instrumented hides both cost and coverage.
build() {
  for file in blocksort huffman crctable randtable compress decompress bzlib; do
    $CC $FLAGS -D_FILE_OFFSET_BITS=64 -c "bzip2/$file.c"
  done
  $CXX $FLAGS -std=gnu++98 -w -D_LARGEFILE64_SOURCE -D_FILE_OFFSET_BITS=64 -DUSE_STACKSIZE_CUSTOMIZATION -Ibzip2 \
    pbzip2/pbzip2.cpp pbzip2/BZ2StreamScanner.cpp pbzip2/ErrorContext.cpp ./*.o -pthread -o program
}
run() { "$B/program" -p4 -k -q -c "$INPUT" | sha256sum; }
