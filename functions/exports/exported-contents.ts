import { readLibraryId } from '../../shared/schemas/read-library-id.ts'
import { type ExportElement, type ExportsCatalog, exportElementsOfEach, exportFile, sizeOf } from '../bundles/export-elements.ts'

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

/** The contents of public libraries by the given ids. A library that is missing, private or without content has none. */
export async function exportedContents(catalog: ExportsCatalog, ids: string[]): Promise<Map<string, ExportedContent>> {
  const elements = await exportElementsOfEach(catalog, ids.map(readLibraryId))
  const contents = ids.flatMap((id, n) => {
    const own = elements[n]
    return own ? [[id, contentOf(id, own)] as const] : []
  })
  return new Map(contents)
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
