# `hono` shows an install: `node_modules` alone may hold only a compile cache.
# Without an install, npm scripts would run under the Node of the machine, which may be too old for the code.
if [ ! -e node_modules/hono ]; then
  echo 'carrel: the packages are not installed. Run: npm ci' >&2
  exit 1
fi
# A production install (npm ci --omit=dev) has no Node. A supported Node below 22.18 runs only the published package.
if [ ! -e node_modules/.bin/node ]; then
  node shared/system/require-node.cjs || exit 1
  if ! node -e 'process.exit(process.features.typescript ? 0 : 1)'; then
    echo "carrel: Node $(node -p process.versions.node) cannot run TypeScript. Install Node 24, or run: npm ci" >&2
    exit 1
  fi
fi
