# With libevent compiled in. Its generated build files are older or newer than their sources as the copy happened to be made:
# the autotools are told to leave them alone.
build() {
  local generated="ACLOCAL=: AUTOCONF=: AUTOMAKE=: AUTOHEADER=:"
  (
    cd libevent
    ./configure -q --disable-shared --disable-openssl --disable-samples CC="$CC" CFLAGS="$FLAGS -w"
    make -s $generated include/event2/event-config.h
    $CC $FLAGS -w -DHAVE_CONFIG_H -I. -Iinclude -c buffer.c bufferevent.c bufferevent_filter.c bufferevent_pair.c \
      bufferevent_ratelim.c bufferevent_sock.c event.c evmap.c evthread.c evutil.c evutil_rand.c evutil_time.c \
      listener.c log.c strlcpy.c signal.c epoll.c poll.c select.c event_tagging.c
    ar rcs libevent.a ./*.o
  )
  (
    cd memcached
    ./configure -q --disable-docs CC="$CC" CFLAGS="$FLAGS -w -pthread" CPPFLAGS="-I$PWD/../libevent/include" \
      LDFLAGS="-L$PWD/../libevent"
    make -s -j2 $generated memcached
  )
  $PLAIN_CC -O2 -pthread "$RECIPES/memcached_load.c" -o load
}
run() {
  "$B/memcached/memcached" -u root -t 4 -m 256 -s "$PWD/socket" 2>server.log &
  local server=$!
  "$B/load" socket 4 $((SCALE * 500))
  kill "$server"
  wait "$server"
  cat server.log >&2
}
