# Builds the web UIs of the named halves, each if it is missing or a file that it was built from has changed. Runs in the folder of the project.
build_if_stale() {
  inputs=$1/web/dist/inputs
  if [ -f $inputs ] && [ -z "$(xargs sh -c "find \"\$@\" -type f -newer $inputs 2>&1" find < $inputs | head -n 1)" ]; then
    return 0
  fi
  if [ ! -e node_modules/vite/bin/vite.js ]; then
    [ -f $inputs ] || echo 'carrel: the web UI is not built, since its tools are not installed. Run: npm ci' >&2
    return 0
  fi
  echo "carrel: building the web UI of $1, which takes a few seconds" >&2
  # Otherwise a build within a test would contain the development version of React.
  if ! NODE_ENV=production node node_modules/vite/bin/vite.js build --config $1/web/vite.config.ts --configLoader native; then
    echo 'carrel: the web UI cannot be built; the API works without it' >&2
  fi
}

for half in "$@"; do
  build_if_stale $half
done
