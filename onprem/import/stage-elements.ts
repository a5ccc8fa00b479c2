import type { BundleHead } from '../../shared/bundle/bundle-element.ts'
import type { BundleEvent } from '../../shared/bundle/bundle-structure.ts'
import { type StagingElement, stageElement } from '../../shared/bundle/stage-element.ts'
import { AppError } from '../../shared/errors.ts'
import { type LibraryId, parseLibraryId } from '../../shared/library.ts'
import { fullDisk, isFullDisk } from '../../shared/system/full-disk.ts'
import { visibleText } from '../../shared/text/visible-text.ts'
import type { ImportFolder } from './import-folder.ts'

export const nothingImported = 'Nothing was imported; make room and try again.'

/** An element whose snippets are staged on disk under `name`. */
export type StagedElement = {
  name: string
  id: LibraryId
  isPrivate: boolean
  /** True if a part of it was omitted or changed. */
  hasNotes: boolean
}
export type SkippedElement = { project: string; reason: string }
/** The first names of fields that are not read, and the number of others. */
export type UnknownFields = { names: string[]; more: number }
export type StagedUpload = { force?: boolean; staged: StagedElement[]; skipped: SkippedElement[]; unknown: UnknownFields }

const maxUnknown = 10
const maxFieldChars = 100

export type StagingFolder = Pick<ImportFolder, 'claim' | 'pathOf' | 'discard'>

/**
 * Stages the elements of a body on disk and adds them to `upload`. After an error, the caller discards those in `upload`; an incomplete
 * element is already discarded.
 */
export async function stageElements(
  folder: StagingFolder,
  events: AsyncIterable<BundleEvent[]>,
  upload: StagedUpload,
): Promise<void> {
  let open: { name: string; element: StagingElement } | undefined
  const drop = async () => {
    if (!open) return
    const { name, element } = open
    open = undefined
    await element.abort().catch(() => undefined)
    await folder.discard(name)
  }
  const begin = async () => {
    const name = folder.claim()
    open = { name, element: await stageElement(folder.pathOf(name)) }
    return open
  }
  try {
    for await (const batch of events) {
      for (const event of batch) {
        if (event.kind === 'force') upload.force = event.force
        else if (event.kind === 'unknown') addUnknown(upload.unknown, visibleText(event.field.slice(0, maxFieldChars)))
        else if (event.kind === 'snippet') await (open ?? (await begin())).element.add(event.list, event.snippet)
        else if (event.kind === 'refused') {
          await drop()
          upload.skipped.push({ project: event.project, reason: event.reason })
        } else {
          const id = idOf(event.head)
          if (!open || typeof id === 'string') {
            await drop()
            upload.skipped.push({
              project: visibleText(event.head.project),
              reason: typeof id === 'string' ? id : 'It contains no snippets.',
            })
            continue
          }
          await open.element.finish(event.head, event.notes)
          upload.staged.push({ name: open.name, id, isPrivate: event.head.private === true, hasNotes: event.notes.length > 0 })
          open = undefined
        }
      }
    }
  } catch (error) {
    throw isFullDisk(error) ? fullDisk(nothingImported, error) : error
  } finally {
    await drop()
  }
}

export function addUnknown(unknown: UnknownFields, name: string): void {
  if (unknown.names.includes(name)) return
  if (unknown.names.length < maxUnknown) unknown.names.push(name)
  else unknown.more += 1
}

/** The id, or the reason why it is invalid. */
function idOf({ project }: BundleHead): LibraryId | string {
  try {
    return parseLibraryId(project)
  } catch (error) {
    if (error instanceof AppError) return error.message
    throw error
  }
}
