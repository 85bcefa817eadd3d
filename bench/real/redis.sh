build() {
  make -s -j2 -C redis/src MALLOC=libc CC="$CC" OPT="$FLAGS -w" redis-server redis-benchmark redis-cli
}
run() {
  local bin="$B/redis/src"
  "$bin/redis-server" --unixsocket "$PWD/socket" --port 0 --io-threads 2 --io-threads-do-reads yes --save '' \
    --logfile "$PWD/server.log" 2>reports.log &
  local server=$!
  for _ in $(seq 200); do
    [ -S socket ] && break
    sleep 0.1
  done
  "$bin/redis-benchmark" -s socket -n $((SCALE * 10000)) -c 32 -P 16 -q -t set,get,incr,lpush,lrange_100,mset >bench.log
  "$bin/redis-cli" -s socket dbsize
  "$bin/redis-cli" -s socket llen mylist
  "$bin/redis-cli" -s socket shutdown nosave >/dev/null
  wait "$server"
  cat reports.log >&2
}
