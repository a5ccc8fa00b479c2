import { AppError } from '../../errors.ts'
import { excerpt } from '../../text/excerpt.ts'
import { visibleText } from '../../text/visible-text.ts'

const maxPathChars = 500
const maxSegmentBytes = 200

/** The path of an uploaded file, with `/`. Throws validation_error for one that leads out of its folder or that no file system takes. */
export function uploadPath(sent: string): string {
  const path = sent.replaceAll('\\', '/')
  const segments = path.split('/')
  const isSound = (segment: string) =>
    segment !== '' && segment !== '.' && segment !== '..' && Buffer.byteLength(segment) <= maxSegmentBytes
  if (path.length <= maxPathChars && segments.every(isSound) && visibleText(path) === path && !/[\t\n]/.test(path)) return path
  throw new AppError(
    'validation_error',
    `The path "${excerpt(sent, 200)}" of a file is not accepted. Send a path below one folder.`,
  )
}

/** Throws validation_error if two files have one path, or if one file is at the path of a folder of another. */
export function rejectClashes(paths: readonly string[]): void {
  const seen = new Set(paths)
  if (seen.size < paths.length) throw clash(paths.find((path, at) => paths.indexOf(path) !== at) ?? '')
  for (const path of paths)
    for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1))
      if (seen.has(path.slice(0, at))) throw clash(path.slice(0, at))
}

const clash = (path: string): AppError =>
  new AppError('validation_error', `Two of the files have the path "${excerpt(path, 200)}". Send each file once.`)
