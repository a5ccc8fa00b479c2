import { analyse, stem } from '../words/analyse.ts'
import type { ListedLibrary } from './catalog.ts'
import { libraryNames, maxAliases, type NamingWords, namingWords, ownerNames } from './library-names.ts'
import { type NameTable, nameTable } from './name-table.ts'
import { isAffix, nameWords } from './name-words.ts'
import { type TextIndex, textIndex } from './text-index.ts'

/** The index for the search by name. Libraries are identified by their position in the list. */
export type LibraryIndex = {
  libraries: ListedLibrary[]
  names: NameTable
  /** Libraries by a word of their names, and by a word that only the name of the owner contains. */
  byWord: ReadonlyMap<string, number[]>
  byOwnerWord: ReadonlyMap<string, number[]>
  /** Number of distinctive words in title and repository name of each library. */
  wordCounts: Uint16Array
  byOwner: ReadonlyMap<string, number[]>
  /** Titles, paths and descriptions. */
  texts: TextIndex
}

const maxDescriptionLength = 1000

export function buildLibraryIndex(libraries: ListedLibrary[]): LibraryIndex {
  const byWord = new Map<string, number[]>()
  const byOwnerWord = new Map<string, number[]>()
  const byOwner = new Map<string, number[]>()
  const wordCounts = new Uint16Array(libraries.length)
  const named = libraries.map((library) => ({ library, naming: namingWords(library) }))
  named.forEach(({ library, naming: { owner, repo, title } }, place) => {
    const words = new Set([...title, ...repo])
    for (const word of words) if (!isAffix(word)) wordCounts[place] = (wordCounts[place] ?? 0) + 1
    for (const alias of library.aliases.slice(0, maxAliases)) for (const word of nameWords(alias)) words.add(word)
    for (const word of words) addTo(byWord, word, place)
    for (const word of new Set(owner)) if (!words.has(word)) addTo(byOwnerWord, word, place)
    for (const name of ownerNames(owner)) addTo(byOwner, name, place)
  })
  const names = nameTable(named.map(({ library, naming }) => libraryNames(library, naming)))
  const texts = textIndex(named.map(({ library, naming }) => textTerms(library, naming)))
  return { libraries, names, byWord, byOwnerWord, wordCounts, byOwner, texts }
}

function textTerms(library: ListedLibrary, { repo, title }: NamingWords): string[] {
  const text = `${library.title} ${library.id.slice(1)} ${library.description.slice(0, maxDescriptionLength)}`
  return [...analyse(text), stem(title.join('')), stem(repo.join(''))]
}

function addTo(lists: Map<string, number[]>, key: string, place: number): void {
  const list = lists.get(key)
  if (list) list.push(place)
  else lists.set(key, [place])
}
