import { countOf } from './pluralize.ts'

type Parsed = { filesRead: number; filesKept?: number; snippetsBefore: number; snippetsAfter: number }

/** True if a parse that is done has found no new commit. */
export const isUnchanged = ({ filesRead, filesKept = 0, snippetsBefore, snippetsAfter }: Parsed): boolean =>
  filesRead + filesKept === 0 && snippetsBefore === snippetsAfter

/** `165 files read`, or after a change `11 files read, 154 unchanged files kept`. */
export function filesReadAndKept({ filesRead, filesKept = 0 }: Pick<Parsed, 'filesRead' | 'filesKept'>): string {
  const read = `${countOf(filesRead, 'file')} read`
  return filesKept === 0 ? read : `${read}, ${countOf(filesKept, 'unchanged file')} kept`
}
