build() {
  $CXX $FLAGS -std=c++17 -w -Icpp-httplib "$RECIPES/httplib_shop.cpp" -pthread -o shop
}
run() { "$B/shop" socket 4 $((SCALE * 150)); }
