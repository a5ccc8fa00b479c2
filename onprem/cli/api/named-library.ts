import { AppError } from '../../../shared/errors.ts'
import { type LibraryId, parseLibraryId } from '../../../shared/library.ts'
import { readLibraryId } from '../../../shared/schemas/read-library-id.ts'
import { call } from './connection.ts'
import type { CommandPorts } from './with-connection.ts'

const nameAndVersion = /^(@?[^@]+)(?:@(.+))?$/
const maxSuggestions = 3

/**
 * The library that `text` means: an id, an address, or a name such as `fastapi` or `fastapi@1.2`, of which the best match is taken and said.
 * Throws invalid_library_id, and library_not_found with similar names if no library has the name.
 */
export async function namedLibrary(ports: Pick<CommandPorts, 'api' | 'progress'>, text: string): Promise<LibraryId> {
  const [, name = '', version] = nameAndVersion.exec(text.trim()) ?? []
  if (name === '' || text.includes('/')) return readLibraryId(text)
  const { results } = await (await call(ports.api.v2.libs.search.$get({ query: { libraryName: name } }))).json()
  const [best, ...others] = results.filter(({ exact }) => exact !== false)
  if (!best)
    throw new AppError('library_not_found', `No library is called "${name}". Did you mean ${listOf(results, 'disjunction')}?`)
  const also = others.length === 0 ? '' : ` Also called so: ${listOf(others, 'conjunction')}.`
  ports.progress.remark(`${name} is ${best.id}.${also}`)
  return { ...parseLibraryId(best.id), ...(version !== undefined && { version }) }
}

type Kind = 'conjunction' | 'disjunction'

/** `/a/b, /c/d and /e/f`. */
const listOf = (found: readonly { id: string }[], type: Kind): string =>
  new Intl.ListFormat('en-GB', { type }).format(found.slice(0, maxSuggestions).map(({ id }) => id))
