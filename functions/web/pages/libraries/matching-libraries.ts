import type { LibrariesSearch, StateFilter } from './libraries-search.ts'

type Compared = { id: string; title: string; description: string; state: string; job: unknown; lastError: string | null }

/** The libraries whose name or description contains the text, and which are in the state. */
export function matchingLibraries<Library extends Compared>(
  libraries: readonly Library[],
  { q, state }: Pick<LibrariesSearch, 'q' | 'state'>,
): Library[] {
  const text = q.toLowerCase()
  return libraries.filter(
    (library) =>
      (state === '' || stateOf(library) === state) &&
      [library.id, library.title, library.description].some((field) => field.toLowerCase().includes(text)),
  )
}

/** Running comes before the result of the last job, and a failed refresh is a failure although old content is served. */
function stateOf({ job, state, lastError }: Compared): StateFilter {
  if (job) return 'running'
  if (state === 'error' || lastError !== null) return 'failed'
  return state === 'finalized' ? 'ready' : 'running'
}
