#!/usr/bin/env node
// Old Node versions can parse this file, so that they print the sentence below instead of a syntax error.
const { engines } = require('../package.json')

const [major, minor] = process.versions.node.split('.').map(Number)
/** Each part of the range is ^MAJOR.MINOR.0 or >=MAJOR.MINOR.0. */
const isSupported = engines.node.split(' || ').some((part) => {
  const [wantedMajor, wantedMinor] = part.match(/\d+/g).map(Number)
  if (major === wantedMajor) return minor >= wantedMinor
  return part.startsWith('>=') && major > wantedMajor
})

if (isSupported) start()
else {
  process.stderr.write(`carrel: Node ${process.versions.node} cannot run Carrel; install Node 24 (supported: ${engines.node}).\n`)
  process.exitCode = 1
}

function start() {
  const { join } = require('node:path')
  const { enableCompileCache } = require('node:module')
  const { HOME, XDG_CACHE_HOME } = process.env
  const caches = XDG_CACHE_HOME || (HOME && join(HOME, '.cache'))
  // The variable is for the server and its threads.
  if (process.env.NODE_COMPILE_CACHE === undefined && caches) process.env.NODE_COMPILE_CACHE = join(caches, 'carrel', 'compile')
  if (process.env.NODE_COMPILE_CACHE) enableCompileCache(process.env.NODE_COMPILE_CACHE)
  // Node 22 warns that its SQLite module is experimental.
  const { emitWarning } = process
  process.emitWarning = (warning, ...rest) => {
    if (rest[0] !== 'ExperimentalWarning') emitWarning(warning, ...rest)
  }
  void import('../lib/onprem-cli-main.js')
}
