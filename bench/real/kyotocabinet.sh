build() {
  cd kyotocabinet
  # A lock is a pointer that holds 0 or 1, and clang wants that said.
  sed -i 's/__sync_bool_compare_and_swap(&opq_,/__sync_bool_compare_and_swap((intptr_t*)\&opq_,/' kcthread.cc
  ./configure -q --disable-shared --disable-zlib CC="$CC" CXX="$CXX"
  make -s -j2 CFLAGS="$FLAGS -w" CXXFLAGS="$FLAGS -w -fsigned-char" kctreetest
}
# How large the tree is depends on the order of the threads; how many records it has does not. It holds hundreds of locks at
# once, more than ThreadSanitizer's deadlock detector can count.
run() {
  TSAN_OPTIONS="${TSAN_OPTIONS-}:detect_deadlocks=0" "$B/kyotocabinet/kctreetest" order -th 4 -etc tree.kct \
    $((SCALE * 12000)) | grep -e '^count' -e '^ok' -e error
}
