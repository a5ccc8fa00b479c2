import { readFileSync } from 'node:fs'
import { dirname, extname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'esbuild'
import { root } from './root.ts'

const isBare = /^[^./]/
const isIdentifier = /^[A-Za-z_$][\w$]*$/

/**
 * Gives `import()` of a CommonJS package the names that Node gives it. With splitting, esbuild gives it only a default export
 * (esbuild issue 2435).
 */
export const lazyCommonJs: Plugin = {
  name: 'lazy CommonJS',
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: isBare }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      if (kind !== 'dynamic-import' || pluginData === 'resolved') return undefined
      const resolved = await resolve(path, { kind, importer, resolveDir, pluginData: 'resolved' })
      // esbuild accepts a missing package in a try block.
      if (resolved.errors.length > 0) return undefined
      if (resolved.external || !isCommonJs(resolved.path)) return resolved
      return { path: relative(root, resolved.path), namespace: 'lazy-commonjs' }
    })
    onLoad({ filter: /./, namespace: 'lazy-commonjs' }, async ({ path }) => {
      const file = join(root, path)
      const names = Object.keys(await import(pathToFileURL(file).href)).filter(
        (name) => isIdentifier.test(name) && name !== 'default',
      )
      return {
        contents: `const all = require(${JSON.stringify(file)})\nexport default all\nexport const { ${names.join(', ')} } = all`,
        resolveDir: dirname(file),
      }
    })
  },
}

function isCommonJs(file: string): boolean {
  const extension = extname(file)
  if (extension !== '.js') return extension === '.cjs'
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = readIfExists(`${folder}/package.json`)
    if (manifest !== undefined) return (JSON.parse(manifest) as { type?: string }).type !== 'module'
  }
  return true
}

function readIfExists(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
