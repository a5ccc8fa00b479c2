import type { Ecosystem } from '../registries/package-name.ts'
import { linesOf } from './lines.ts'
import type { Named } from './named.ts'

type Fields = Partial<Record<'name' | 'version' | 'source', string>>
const field = /^(name|version|source) = "?([^"\n]*)/

/** Packages of the project itself have a local source in uv, and none in Cargo. */
const isRemote = (ecosystem: Ecosystem, { source = '' }: Fields): boolean =>
  ecosystem === 'crates' ? source.startsWith('registry+') : !/^\{ (?:editable|virtual|directory) = /.test(source)

/**
 * Reads the locks of Cargo, Poetry, PDM and uv line by line. Programs write each name, version and source on a separate line, and a
 * parser of TOML takes seconds for large files. Locks name all packages.
 */
export function* readTomlLock(ecosystem: Ecosystem, text: string): Generator<Named> {
  let open: Fields | undefined
  for (const line of linesOf(`${text}\n[`)) {
    if (line.startsWith('[')) {
      if (open?.name !== undefined && isRemote(ecosystem, open)) yield { ecosystem, name: open.name, version: open.version }
      open = line.startsWith('[[package]]') ? {} : undefined
    }
    const [, name, value] = (open && field.exec(line)) ?? []
    if (open && name !== undefined) open[name as keyof Fields] ??= value
  }
}
