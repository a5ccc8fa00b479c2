import { readdirSync } from 'node:fs'
import { join } from 'node:path/posix'

const maxPaths = 100_000
const document = /\.(?:md|mdx|markdown)$/i

/** The Markdown documents of the commit that was read last, by their names. */
let last: { key: string; byName: Map<string, string[]> } = { key: '', byName: new Map() }

/** The one document of a clone whose path ends with the given folders and name; undefined if there are several, or none. */
export function documentEndingWith(root: string, commit: string, ending: string): string | undefined {
  const key = `${root} ${commit}`
  if (last.key !== key) last = { key, byName: documentsOf(root) }
  const paths = last.byName.get(ending.split('/').at(-1) ?? '') ?? []
  const matches = paths.filter((path) => `/${path}`.endsWith(`/${ending}`))
  return matches.length === 1 ? matches[0] : undefined
}

function documentsOf(root: string): Map<string, string[]> {
  const byName = new Map<string, string[]>()
  const folders = ['']
  let count = 0
  for (let folder = folders.pop(); folder !== undefined && count < maxPaths; folder = folders.pop()) {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (entry.isDirectory() && entry.name !== '.git' && entry.name !== 'node_modules') folders.push(path)
      if (!entry.isFile() || !document.test(entry.name)) continue
      byName.set(entry.name, [...(byName.get(entry.name) ?? []), path])
      count++
    }
  }
  return byName
}
