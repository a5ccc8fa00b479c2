import { squash } from '../search/libraries/name-words.ts'

/** The numbers of documents that import each module under each name, by `module as name`. */
export type ModuleAliases = Map<string, number>

const maxPerDocument = 100
const maxCounted = 10_000
/** In code blocks, at a prompt, and in the JSON of notebooks. */
const statement = /^[ \t>."']{0,40}import[ \t]{1,4}([A-Za-z_][\w.]{0,100})[ \t]{1,4}as[ \t]{1,4}([A-Za-z]\w{1,20})\b/gm

/** The statements `import module as name` in the text of a document, each once. */
export function moduleAliasesIn(text: string): string[] {
  const found = new Set<string>()
  for (const [, module, name] of text.matchAll(statement)) {
    if (found.size >= maxPerDocument) break
    found.add(`${module} as ${name}`)
  }
  return [...found]
}

/** Counts the statements of further documents. */
export function countModuleAliases(counts: ModuleAliases, statements: readonly string[]): void {
  for (const each of statements) if (counts.size < maxCounted || counts.has(each)) counts.set(each, (counts.get(each) ?? 0) + 1)
}

/** In fewer documents, a name is the choice of an author. */
const minDocuments = 3
/** A share of the documents with the most frequent name. A less frequent one may be an everyday word, such as `db`. */
const minShare = 0.4

/**
 * The names under which the documentation imports the modules of its own packages, such as `jnp` for `jax.numpy`, the most frequent first: of each
 * module the most frequent name.
 */
export function usualAliases(counts: ModuleAliases, packages: readonly string[]): string[] {
  const own = new Set(packages.map(squash))
  const best = new Map<string, { name: string; documents: number }>()
  for (const [each, documents] of counts) {
    const [module = '', name = ''] = each.split(' as ')
    const [root = ''] = module.split('.')
    if (documents < minDocuments || documents <= (best.get(module)?.documents ?? 0) || !own.has(squash(root))) continue
    best.set(module, { name, documents })
  }
  const usual = [...best.values()].toSorted((a, b) => b.documents - a.documents)
  const most = usual[0]?.documents ?? 0
  return [...new Set(usual.filter(({ documents }) => documents >= most * minShare).map(({ name }) => name))]
}
