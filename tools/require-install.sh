# `hono` shows an install: `node_modules` alone may hold only a compile cache. Without an install, npm scripts would run under the Node of the machine, which may be too old for the code.
if [ ! -e node_modules/hono ]; then
  echo 'carrel: the packages are not installed. Run: npm ci' >&2
  exit 1
fi
# A production install (npm ci --omit=dev) has no Node.
if [ ! -e node_modules/.bin/node ] && ! node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 24 || (a === 24 && b >= 5) ? 0 : 1)'; then
  echo "carrel: Node $(node -p process.versions.node) is too old for a production install. Install Node 24, or run: npm ci" >&2
  exit 1
fi
