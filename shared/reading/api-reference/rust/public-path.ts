import type { ReaderContext } from '../../page/page.ts'

/** The crate of a file, and the modules that the file is in. */
export type RustModule = { crate: string; src: string; path: string[] }

/** The module of a file by the nearest `Cargo.toml`; undefined for a file of a program or outside of `src`. */
export function moduleOf({ path, readFile }: ReaderContext): RustModule | undefined {
  const parts = path.replace(/\.rs$/, '').split('/')
  const src = parts.lastIndexOf('src')
  if (src < 0) return undefined
  const root = parts.slice(0, src)
  const manifest = readFile([...root, 'Cargo.toml'].join('/'))
  const [, name] = /^\s{0,9}name\s{0,9}=\s{0,9}"([\w-]{1,100})"/m.exec(manifest ?? '') ?? []
  const inside = parts.slice(src + 1)
  if (name === undefined || inside[0] === 'bin' || (inside.length === 1 && inside[0] === 'main')) return undefined
  const modules = inside.filter(
    (part, at) => !(at === inside.length - 1 && part === 'mod') && !(inside.length === 1 && part === 'lib'),
  )
  return { crate: name.replaceAll('-', '_'), src: parts.slice(0, src + 1).join('/'), path: modules }
}

/** The path under which users find a public item of a module: that of the module, or of one above that exports the item. Undefined if it is not exported. */
export function publicPath(
  { crate, src, path }: RustModule,
  item: string,
  readFile: ReaderContext['readFile'],
): string | undefined {
  let above = [...path]
  let names: string[] = [item]
  while (above.length > 0) {
    const own = above.at(-1) ?? ''
    above = above.slice(0, -1)
    const text = textOfModule(src, above, readFile)
    if (text === undefined) return undefined
    const [first = ''] = names
    const isPublic = text.includes(`pub mod ${own};`) || text.includes(`pub mod ${own} {`)
    const alias = exportedAs(text, own, first)
    if (alias !== undefined) names = [alias, ...names.slice(1)]
    else if (isPublic) names = [own, ...names]
    else return undefined
  }
  return [crate, ...names].join('::')
}

function textOfModule(src: string, path: string[], readFile: ReaderContext['readFile']): string | undefined {
  if (path.length === 0) return readFile(`${src}/lib.rs`)
  const file = [src, ...path].join('/')
  return readFile(`${file}.rs`) ?? readFile(`${file}/mod.rs`)
}

/** The name that `pub use module::{item as name}` or `pub use module::*` gives to an item. */
function exportedAs(text: string, module: string, item: string): string | undefined {
  for (const used of text.split(/\bpub use /).slice(1)) {
    const plain = used
      .slice(0, Math.max(0, used.indexOf(';')))
      .replace(/\/\/.*$/gm, '')
      .replace(/\s+/g, ' ')
      .replace(/[{,] ?/g, '$&::')
    const [, ...parts] = `::${plain}`.split(`::${module}::`)
    for (const each of parts
      .join(',')
      .replace(/[{}]|::(?=\w+(?: as \w+)?(?:,|$|\}))/g, '')
      .split(',')) {
      const [name, as, alias] = each.trim().split(' ')
      if (name === '*') return item
      if (name === item) return as === 'as' ? alias : item
    }
  }
  return undefined
}
