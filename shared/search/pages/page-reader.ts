import type { listOutline, Outline } from './list-outline.ts'
import type { PageRequest, ReadPage } from './read-page.ts'

/** Reads pages for a caller. Both count as a use of the library. */
export type PageReader = {
  outline(asked: Parameters<typeof listOutline>[1]): Promise<Outline>
  page(asked: PageRequest): Promise<ReadPage>
}
