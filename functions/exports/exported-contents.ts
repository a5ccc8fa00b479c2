import pLimit from 'p-limit'
import { AppError } from '../../shared/errors.ts'
import { readLibraryId } from '../../shared/schemas/read-library-id.ts'
import { type ExportCatalog, type ExportElement, exportElements, exportFile, sizeOf } from '../bundles/export-elements.ts'

/** A library as a zip would contain it. `sizeBytes` is unpacked, `hash` equal for equal content. */
export type ExportedContent = {
  id: string
  title: string
  description: string
  /** Number of its versions, its default content included. */
  versions: number
  snippets: number
  sizeBytes: number
  lastUpdateDate: string
  hash: string
}

const readsAtOnce = 8

/** The contents of public libraries by the given ids. A library that is missing, private or without content has none. */
export async function exportedContents(catalog: ExportCatalog, ids: string[]): Promise<Map<string, ExportedContent>> {
  const contents = await pLimit(readsAtOnce).map(ids, async (id) => {
    const elements = await exportElements(catalog, readLibraryId(id)).catch(unlessMissing)
    return elements ? [[id, contentOf(id, elements)] as const] : []
  })
  return new Map(contents.flat())
}

function contentOf(id: string, elements: ExportElement[]): ExportedContent {
  const head = elements[0]?.head
  return {
    id,
    title: head?.title ?? id,
    description: head?.description ?? '',
    versions: elements.length,
    snippets: elements.reduce((sum, { snippets }) => sum + snippets, 0),
    sizeBytes: sizeOf(elements),
    lastUpdateDate:
      elements
        .map((element) => element.head.lastUpdateDate ?? '')
        .sort()
        .at(-1) ?? '',
    hash: exportFile(elements).buildId,
  }
}

function unlessMissing(error: unknown): undefined {
  if (error instanceof AppError && ['library_not_found', 'tag_not_found'].includes(error.code)) return undefined
  throw error
}
