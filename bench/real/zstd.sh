build() {
  cd libzstd
  $CC $FLAGS -DZSTD_MULTITHREAD -DZSTD_DISABLE_ASM -DXXH_NAMESPACE=ZSTD_ -Ilib -Ilib/common -Iprograms \
    lib/common/*.c lib/compress/*.c lib/decompress/*.c lib/dictBuilder/*.c programs/*.c -pthread -o ../zstd
}
run() { "$B/zstd" -T4 -6 -q -c "$INPUT" | sha256sum; }
