import type { ListedLibrary } from './catalog.ts'
import { type GradedNames, libraryNames, namingWords } from './library-names.ts'
import { parseName } from './parsed-name.ts'

type Named = Pick<ListedLibrary, 'id' | 'title' | 'aliases'>

const namesOf = new WeakMap<Named, GradedNames>()

/** The libraries with the requested name in any form, best match first. As a search, but without typos and questions. */
export function librariesByName<Library extends Named>(libraries: readonly Library[], libraryName: string): Library[] {
  if (libraries.length === 0) return []
  const { forms } = parseName(libraryName)
  return libraries
    .map((library) => ({ library, grade: gradeOf(library, forms) }))
    .filter(({ grade }) => grade > 0)
    .sort((a, b) => b.grade - a.grade)
    .map(({ library }) => library)
}

function gradeOf(library: Named, forms: GradedNames): number {
  const names = namesOf.get(library) ?? libraryNames(library, namingWords(library))
  namesOf.set(library, names)
  let best = 0
  for (const [form, factor] of forms) best = Math.max(best, factor * (names.get(form) ?? 0))
  return best
}
