import { bundleLimits } from '../../shared/bundle/bundle-element.ts'
import { elementFile } from '../../shared/bundle/bundle-zip.ts'
import { AppError } from '../../shared/errors.ts'
import { versionKey } from '../../shared/library.ts'
import { readLibraryId } from '../../shared/schemas/read-library-id.ts'
import { pluralize } from '../../shared/text/figures.ts'
import { type ExportCatalog, type ExportElement, exportElements, sizeOf } from './export-elements.ts'

export type ZipLimits = Pick<
  typeof bundleLimits,
  'zipBytes' | 'unpackedBytes' | 'zipEntries' | 'elementBytes' | 'elementSnippets'
> & {
  libraries: number
}

export const zipLimits: ZipLimits = { ...bundleLimits, libraries: 50 }

export type PlannedFile = { file: string; element: ExportElement; sizeBytes: number }

/**
 * The files of a zip, one per element: each version of each library, or only the pinned version, none twice. Throws
 * validation_error, payload_too_large and library_too_large for a zip that an importer would reject, and what `exportElements` throws.
 */
export async function planZip(catalog: ExportCatalog, libraries: string[], limits: ZipLimits): Promise<PlannedFile[]> {
  if (libraries.length === 0) throw new AppError('validation_error', 'Name at least one library.')
  if (libraries.length > limits.libraries)
    throw new AppError('validation_error', `${libraries.length} libraries are too many: a zip has at most ${limits.libraries}.`, {
      fields: { libraries: libraries.length, limit: limits.libraries },
    })
  const elements = new Map<string, ExportElement>()
  for (const id of libraries.map(readLibraryId))
    for (const element of await exportElements(catalog, id)) elements.set(versionKey(element.id), element)
  if (elements.size >= limits.zipEntries)
    throw tooLarge(`${pluralize(elements.size, 'version')} of these libraries`, elements.size, limits.zipEntries - 1, 'files')
  const files = [...elements.values()].map((element, i) => plan(element, i + 1, limits))
  const unpackedBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  if (unpackedBytes > limits.unpackedBytes) throw tooLarge('The zip unpacked', unpackedBytes, limits.unpackedBytes, 'bytes')
  return files
}

export const tooLarge = (what: string, size: number, limit: number, unit: 'bytes' | 'files'): AppError =>
  new AppError(
    'payload_too_large',
    `${what} would have ${size} ${unit}; the limit is ${limit}. Choose fewer libraries or versions.`,
    {
      fields: unit === 'bytes' ? { sizeBytes: size, limitBytes: limit } : { files: size, limit },
    },
  )

function plan(element: ExportElement, number: number, limits: ZipLimits): PlannedFile {
  rejectUnimportable(element, limits)
  return { file: elementFile(element.head.project, number), element, sizeBytes: sizeOf([element]) }
}

/** Throws library_too_large for an element that every importer would skip. */
export function rejectUnimportable(
  element: ExportElement,
  { elementBytes, elementSnippets }: Pick<ZipLimits, 'elementBytes' | 'elementSnippets'> = bundleLimits,
): void {
  const { project } = element.head
  const sizeBytes = sizeOf([element])
  if (sizeBytes <= elementBytes && element.snippets <= elementSnippets) return
  throw new AppError(
    'library_too_large',
    `${project} has ${element.snippets} snippets and ${sizeBytes} bytes. An import takes at most ${elementSnippets} snippets and ${elementBytes} bytes of one library.`,
    { fields: { project, snippets: element.snippets, sizeBytes } },
  )
}
