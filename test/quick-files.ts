import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const root = new URL('..', import.meta.url).pathname

const opener =
  /^import (?!type )[^']*(?:'(?:node:(?:child_process|https?|tls)|@hono\/node-server|dynalite|fauxqs|kinesalite|playwright-core)'|\b(?:connect|createServer)\b[^']*'node:net')/m
const importLine = /^(?:import|export) (?!type )[^']*'(\.[^']+\.\w+)'|(?:\bimport|new URL)\('(\.[^']+\.\w+)'/gm

const sources = new Map<string, string>()
function read(file: string): string {
  const source = sources.get(file) ?? (existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : '')
  sources.set(file, source)
  return source
}

/** True if a test file, what it imports from test/, or what those import from the product can start a process or open a socket. */
function opensSomething(file: string, seen = new Set<string>()): boolean {
  seen.add(file)
  if (opener.test(read(file))) return true
  if (!file.startsWith('test/')) return false
  const imported = [...read(file).matchAll(importLine)].map(([, name, late]) => join(dirname(file), name ?? late ?? ''))
  return imported.some((target) => !seen.has(target) && opensSomething(target, seen))
}

/** The test files that start no process and open no socket, which `only-in-process.ts` enforces. A test says "Not quick:" and why if it must. */
export const quickFiles = globSync('test/{shared,onprem,functions,contracts}/**/*.test.ts', { cwd: root }).filter(
  (file) => !read(file).includes('// Not quick: ') && !opensSomething(file),
)
