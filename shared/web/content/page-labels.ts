/** A page of a library, with the numbers of its snippets and their tokens. */
export type LibraryPage = { path: string; title: string; snippets: number; tokens: number }

/** `more` distinguishes pages with the same title: the name of the file, or that of its folder if the files have one name, too. */
export type PageLabel = { title: string; more?: string }

/** How pages are called in a list. */
export function pageLabels(pages: readonly LibraryPage[]): Map<string, PageLabel> {
  const byTitle = Map.groupBy(pages, (page) => titleOf(page))
  const labels = new Map<string, PageLabel>()
  for (const [title, same] of byTitle) {
    const hasNames = new Set(same.map(({ path }) => nameOf(path))).size === same.length
    for (const { path } of same)
      labels.set(path, same.length === 1 ? { title } : { title, more: hasNames ? nameOf(path) : placeOf(path) })
  }
  return labels
}

export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

const titleOf = ({ title, path }: LibraryPage): string => title || nameOf(path)
const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
/** The last folder and the file. */
const placeOf = (path: string): string => path.split('/').slice(-2).join('/')
