import type { StoredPage } from '../rows/snippet-store.ts'

const overviews = [
  /^readme$/,
  /^_?index$|^home$/,
  /^(?:introduction|intro|overview|about|welcome)$/,
  /^(?:getting|quick)[-_ ]?start(?:ed)?$/,
]
const isAboutProject =
  /^(?:authors|backers|changes|changelog|code[-_]of[-_]conduct|contributing|contributors|governance|history|licen[cs]e|maintainers|migrating|news|release[-_]?notes|releases|roadmap|security|support|thanks)$/

const cached = new WeakMap<readonly StoredPage[], StoredPage[]>()
const { compare } = new Intl.Collator('en', { numeric: true })

/**
 * The pages as a reader wants them: a folder before those in it, in a folder first its overview and last the pages about the project, such as
 * CONTRIBUTING; others by name, with numbers by value.
 */
export function readingOrder(pages: readonly StoredPage[]): StoredPage[] {
  const known = cached.get(pages)
  if (known) return known
  const sorted = pages
    .map((page) => ({ page, place: placeOf(page) }))
    .sort(
      (a, b) =>
        compareFolders(a.place.folders, b.place.folders) || a.place.rank - b.place.rank || compare(a.place.name, b.place.name),
    )
    .map(({ page }) => page)
  cached.set(pages, sorted)
  return sorted
}

/** The page to open first: the README of the root, else the overview with the fewest folders above it, else the first page about no project matter. */
export function overviewPage(pages: readonly StoredPage[]): StoredPage | undefined {
  const ordered = readingOrder(pages)
  let best: { page: StoredPage; cost: number } | undefined
  for (const page of ordered) {
    const { folders, rank } = placeOf(page)
    if (rank >= overviews.length || folders.some((folder) => folder.startsWith('.'))) continue
    const cost = folders.length * overviews.length + rank
    if (!best || cost < best.cost) best = { page, cost }
  }
  return best?.page ?? ordered.find((page) => placeOf(page).rank <= overviews.length) ?? ordered[0]
}

type Place = { folders: string[]; name: string; rank: number }

function placeOf({ path }: StoredPage): Place {
  const folders = path.split('/')
  const name = folders.pop() ?? ''
  const plain = name
    .toLowerCase()
    .replace(/\.[^.]*$/, '')
    .replace(/^\d+[-_. ]+/, '')
  const overview = overviews.findIndex((pattern) => pattern.test(plain))
  return { folders, name, rank: overview >= 0 ? overview : overviews.length + (isAboutProject.test(plain) ? 1 : 0) }
}

function compareFolders(a: string[], b: string[]): number {
  for (const [i, folder] of a.entries()) {
    const other = b[i]
    if (other === undefined) return 1
    if (folder !== other)
      return Number(folder.startsWith('.')) - Number(other.startsWith('.')) || compare(folder, other) || (folder < other ? -1 : 1)
  }
  return a.length - b.length
}
