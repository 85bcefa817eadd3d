build() {
  cd lbzip2
  ./configure -q CC="$CC" CFLAGS="$FLAGS"
  make -s -j2
}
run() { "$B/lbzip2/src/lbzip2" -n4 -k -c "$INPUT" | sha256sum; }
