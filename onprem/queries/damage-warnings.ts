import { parseLibraryId } from '../../shared/library.ts'
import type { DamagedContent, SnippetStore } from '../../shared/search/rows/snippet-store.ts'
import { pluralize } from '../../shared/text/figures.ts'
import { type Caller, mayRead, type RightPorts } from '../access/caller.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import type { Damage } from '../store/data-dir/damage.ts'
import type { DataPaths } from '../store/data-dir/data-paths.ts'

export type DamageWarningsPorts = RightPorts & {
  catalog: Pick<InstallCatalog, 'servedBy' | 'find'>
  snippets: Pick<SnippetStore, 'damaged'>
  damage: Pick<Damage, 'messages' | 'readOr'>
}

/** Damaged files of the server itself. Only callers with a key or session see their names. */
export function serverDamage({ damage }: Pick<DamageWarningsPorts, 'damage'>, { holder, unidentified }: Caller): string[] {
  const warnings = damage.messages()
  if (holder) return warnings
  const shown = unidentified
    ? 'Files of the server are damaged, and your key or session cannot be checked. The log of the server names the files.'
    : 'Files of the server are damaged. Send a key to see which.'
  return warnings.slice(0, 1).map(() => shown)
}

/** Files and folders that the server cannot use. Only callers with a key or session see their names. */
export function pathWarnings({ problems }: Pick<DataPaths, 'problems'>, { holder }: Caller): string[] {
  const warnings = problems()
  if (holder || warnings.length === 0) return warnings
  return ['Files of the server cannot be used. Send a key to see which.']
}

const problems: [DamagedContent['damage'], (id: string) => string][] = [
  ['quarantined', (id) => `The files of ${id} are damaged and are not read:`],
  ['unchecked', (id) => `The files of ${id} could not be checked for damage and are not read: restart the server,`],
  ['statistics', (id) => `The word statistics of ${id} are damaged. They are rebuilt from its snippets; if this warning stays,`],
  ['rows', (id) => `Snippets of ${id} could not be read:`],
]

/** Damaged libraries and files. Names and paths are only for callers that may read them; private libraries only for callers with a key. */
export function damageWarnings(ports: DamageWarningsPorts, caller: Caller): string[] {
  const { catalog, snippets, damage } = ports
  const { holder } = caller
  const content = snippets.damaged()
  const servedBy = (kind: DamagedContent['damage']) =>
    catalog.servedBy(content.filter((each) => each.damage === kind).map(({ generation }) => generation))
  const advice = (id: string) => {
    const again = 'import it again with force.'
    return catalog.find(parseLibraryId(id))?.imported ? again : `refresh it, or ${again}`
  }
  const libraries = damage.readOr(
    () => problems.flatMap(([kind, problem]) => servedBy(kind).map((id) => ({ id, warning: `${problem(id)} ${advice(id)}` }))),
    [],
  )
  const isShown = ({ id }: { id: string }) =>
    mayRead(ports, caller) && (holder || catalog.find(parseLibraryId(id))?.private === false)
  const shown = damage.readOr(() => libraries.filter(isShown), [])
  const hidden = new Set(libraries.filter((each) => !shown.includes(each)).map(({ id }) => id)).size
  return [
    ...shown.map(({ warning }) => warning),
    ...(hidden > 0 ? [`The files of ${pluralize(hidden, 'library', 'libraries')} are damaged. Send a key to see which.`] : []),
    ...serverDamage(ports, caller),
  ]
}
