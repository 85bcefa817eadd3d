# Sourced by tests that use public tools of npm: where npm cannot be had, or nothing can be installed, they are skipped, with the reason.
skip() {
  printf 'SKIPPED: %s\n' "$1"
  exit 77
}

# npm_package NAME VERSION: installs it in the build tree, once; its folder is $package.
npm_package() {
  package=$tree/npm/node_modules/$1
  [ -e "$package/package.json" ] && return
  command -v npm >/dev/null || skip "npm is not installed, so $1 cannot be run"
  npm install --silent --no-audit --no-fund --prefix "$tree/npm" "$1@$2" >npm.txt 2>&1 && [ -e "$package/package.json" ] ||
    skip "npm cannot install $1 $2 here: $(tail -n 1 npm.txt)"
}
