// Ends the process with one sentence under a Node version that cannot run Carrel. Old versions can parse this file.

/** 22.15 ignores `timeout` of a database, so that a command fails while the server writes. So does Node 23. */
exports.oldestNode = '22.16.0'
exports.supportedNode = `^${exports.oldestNode} || >=24.0.0`

const { node } = process.versions
const [major, minor] = node.split('.').map(Number)
/** Each part of the range is ^MAJOR.MINOR.0 or >=MAJOR.MINOR.0. */
const isSupported = exports.supportedNode.split(' || ').some((part) => {
  const [wantedMajor, wantedMinor] = part.match(/\d+/g).map(Number)
  if (major === wantedMajor) return minor >= wantedMinor
  return part.startsWith('>=') && major > wantedMajor
})

if (!isSupported) {
  process.stderr.write(`carrel: Node ${node} cannot run Carrel; install Node 24 (supported: ${exports.supportedNode}).\n`)
  process.exit(1)
}
