# Four frame threads and look-ahead threads; which frame ends first does not change the stream.
build() {
  cd x264
  CC="$CC" ./configure --disable-asm --disable-opencl --disable-lavf --disable-swscale --disable-ffms --disable-gpac \
    --disable-lsmash --extra-cflags="$FLAGS"
  make -s -j2 x264
  $PLAIN_CC -O2 "$RECIPES/x264_frames.c" -o ../frames
}
run() {
  "$B/frames" 352 288 $((SCALE * 15)) >video.yuv
  "$B/x264/x264" --quiet --no-progress --threads 4 --lookahead-threads 2 --input-res 352x288 --fps 25 -o video.264 video.yuv
  sha256sum <video.264
}
