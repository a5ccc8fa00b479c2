#!/bin/sh
# Tries the README's two commands on a fresh clone of HEAD with each Node version first on the PATH. Options: --all for the whole suite,
# --nodes FOLDER for programs in FOLDER/VERSION/bin instead of those of npm, or test files.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
versions='20.20.2 22.20.0 24.21.0'
tests='test/shared/search/get-context.test.ts test/onprem/routes/parse.test.ts'
nodes=
while [ $# -gt 0 ]; do
  case $1 in
    --all) tests='' ;;
    --nodes) nodes=$(cd "$2" && pwd) && shift ;;
    *) tests=$* && break ;;
  esac
  shift
done
work=$(mktemp -d)
server=
failed=0
trap '[ -z "$server" ] || kill -9 "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
# npm puts the Node of the checkout first on the PATH and names the checkout in variables. The tries must not see them.
unset NODE NODE_OPTIONS NODE_COMPILE_CACHE INIT_CWD PORT npm_config_local_prefix npm_config_prefix npm_node_execpath
path=$(echo "$PATH" | tr ':' '\n' | grep -v '/node_modules/' | paste -sd: -)
now() { date +%s; }
# Prints what happened and keeps the log of the step.
fail() {
  echo "Node $version: $1"
  tail -n 20 "$2"
  failed=1
}

try() {
  clone=$work/$version/clone
  logs=$work/$version
  data=$work/$version/data
  in_clone() { (cd "$clone" && exec env PATH="$bin:$path" DATA_DIR="$data" "$@"); }
  row="| $version |"
  git clone --quiet "$root" "$clone"
  [ "$(in_clone node -p process.versions.node)" = "$version" ] || { echo "$bin has no Node $version"; failed=1; return; }

  started=$(now)
  if ! in_clone npm ci >"$logs/install" 2>&1; then fail 'npm ci failed' "$logs/install"; return; fi
  row="$row $(($(now) - started)) s, $(du -sm "$clone/node_modules" | cut -f1) MB |"
  # A warning about an engine has five lines; the second names the package.
  grep -i '^npm warn' "$logs/install" | sed -n "s/.*package: '\(.*\)',*$/EBADENGINE \1/p; /EBADENGINE/!p" >"$logs/warnings"
  if grep 'EBADENGINE carrel@' "$logs/warnings"; then fail 'npm warns about the engine of carrel' "$logs/install"; fi

  started=$(now)
  port=$(in_clone node -p "const s = require('net').createServer().listen(0, '127.0.0.1', () => { console.log(s.address().port); s.close() }); ''" | grep .)
  # A shell without job control ignores SIGINT in its children, so Node starts npm.
  # Not in_clone: the id must be that of Node, not of a subshell.
  cd "$clone"
  env PATH="$bin:$path" DATA_DIR="$data" PORT="$port" node -e "
    const child = require('child_process').spawn('npm', ['start'], { stdio: 'inherit', detached: true })
    process.on('SIGTERM', () => process.kill(-child.pid, 'SIGINT'))
    child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)))" >"$logs/start" 2>&1 &
  server=$!
  cd "$root"
  until in_clone node -e "fetch('http://127.0.0.1:$port/api/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"; do
    kill -0 "$server" 2>/dev/null && [ $(($(now) - started)) -lt 120 ] || { fail 'npm start does not answer' "$logs/start"; return; }
    sleep 0.2
  done
  row="$row $(($(now) - started)) s |"
  in_clone npm run -s carrel -- --version >"$logs/version" 2>&1 || fail 'carrel --version failed' "$logs/version"
  if [ -e "$clone/onprem/cli/doctor.ts" ] || ls "$clone"/onprem/cli/*doctor* "$clone"/onprem/cli/*/*doctor* >/dev/null 2>&1; then
    in_clone npm run -s carrel -- doctor >"$logs/doctor" 2>&1 || fail 'carrel doctor failed' "$logs/doctor"
  fi
  kill -TERM "$server"
  code=0
  wait "$server" || code=$?
  server=
  # npm may end before the server has stopped.
  started=$(now)
  while [ -e "$data/server.json" ] && [ $(($(now) - started)) -lt 20 ]; do sleep 0.2; done
  case $code in 0 | 130) ;; *) fail "npm start ended with $code after Ctrl-C" "$logs/start" ;; esac
  [ ! -e "$data/server.json" ] || fail 'the server left server.json behind' "$logs/start"
  row="$row $(cat "$logs/version"), exit $code |"

  # shellcheck disable=SC2086
  in_clone env -u DATA_DIR npm test -- $tests >"$logs/tests" 2>&1 || fail 'npm test failed' "$logs/tests"
  row="$row $(grep -E '^[0-9]+ passed' "$logs/tests" | tail -n 1) | $(sort -u "$logs/warnings" | wc -l) |"
  echo "$row" >>"$work/table"
  sort -u "$logs/warnings" | sed "s/^/$version: /" >>"$work/warnings"
  rm -rf "$clone"
}

for version in $versions; do
  mkdir -p "$work/$version"
  bin=${nodes:+$nodes/$version/bin}
  if [ -z "$bin" ]; then
    npm install --no-save --prefix "$work/$version/node" --no-audit --no-fund --loglevel=error "node@$version" >"$work/$version/npm" 2>&1
    bin=$work/$version/node/node_modules/node/bin
  fi
  try
done
echo '| Node | install | start | carrel --version, end by Ctrl-C | tests | warnings of npm ci |'
echo '|---|---|---|---|---|---|'
cat "$work/table"
[ ! -s "$work/warnings" ] || cat "$work/warnings"
exit $failed
