#!/usr/bin/env node
// Old Node versions can parse this file, so that they print a sentence instead of a syntax error.
require('./require-node.cjs')
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
