#!/bin/sh
# explain.sh FOOTRACE FINDINGS NAME: the first finding that names NAME, in words.
id=$(sed -n "s/.*\"fingerprint\":\"\([0-9a-f]*\)\".*\"function\":\"$3\".*/\1/p" "$2" | head -n 1)
exec "$1" explain "$id" "$2"
