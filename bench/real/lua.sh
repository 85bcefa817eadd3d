build() {
  echo '#define DEB_HOST_MULTIARCH "lua"' >lua5.4/src/lua5.4-deb-multiarch.h # where modules would be looked for
  $CC $FLAGS -w -DLUA_USE_POSIX -Ilua5.4/src "$RECIPES/lua_threads.c" \
    $(ls lua5.4/src/*.c | grep -v -e /lua.c -e /luac.c) -lm -pthread -o threads
}
run() { "$B/threads" "$RECIPES/lua_threads.lua" 4 $((SCALE * 200)); }
