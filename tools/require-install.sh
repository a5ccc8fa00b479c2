# Without an install, npm scripts would run under the Node of the machine, which may be too old for the code.
if [ ! -x node_modules/.bin/node ]; then
  echo 'carrel: the packages are not installed. Run: npm ci' >&2
  exit 1
fi
