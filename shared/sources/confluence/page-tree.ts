import { uniquePaths } from '../website/page-paths.ts'
import type { ListedPage } from './confluence-api.ts'

export type Folders = ReadonlyMap<string, { title: string; parentId: string | undefined }>

/** More levels are a loop, which pages that are moved during the listing may form. */
const maxLevels = 100

/** The ids above a page, the nearest first. */
export function* idsAbove(
  page: Pick<ListedPage, 'parentId'>,
  pages: ReadonlyMap<string, ListedPage>,
  folders: Folders,
): Generator<string> {
  let id = page.parentId
  for (let level = 0; id !== undefined && level < maxLevels; level += 1) {
    yield id
    id = (pages.get(id) ?? folders.get(id))?.parentId
  }
}

/** The paths of pages by their ids, with a folder for each page and folder above them, except the one that is above all others. */
export function treePaths(pages: ReadonlyMap<string, ListedPage>, folders: Folders): Map<string, string> {
  const titleOf = (id: string) => (pages.get(id) ?? folders.get(id))?.title
  const sorted = [...pages.values()].sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1))
  const above = new Map(
    sorted.map((page) => [page.id, [...idsAbove(page, pages, folders)].filter((id) => titleOf(id) !== undefined)]),
  )
  const tops = new Set(sorted.map(({ id }) => above.get(id)?.at(-1) ?? id))
  const [top] = tops.size === 1 ? tops : []
  const pathOf = uniquePaths()
  return new Map(
    sorted.map(({ id, title }) => {
      const names = (above.get(id) ?? []).filter((each) => each !== top).map((each) => titleOf(each) ?? '')
      return [id, `${pathOf([...names.reverse(), title], id)}.html`]
    }),
  )
}
