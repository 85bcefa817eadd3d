build() {
  cd xz-utils
  ./configure -q --disable-shared --disable-nls --disable-doc --disable-scripts --disable-xzdec --disable-lzmadec \
    --disable-lzmainfo --disable-assembler CC="$CC" CFLAGS="$FLAGS"
  make -s -j2 -C src
}
run() { "$B/xz-utils/src/xz/xz" -T4 -1 --block-size=1MiB -c "$INPUT" | sha256sum; }
