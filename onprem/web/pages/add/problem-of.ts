import { describedFile, filesBytes, openapiBytes, uploadLimits } from '../../../../shared/sources/uploads/upload-limits.ts'
import { type ChosenFile, sizeOf } from '../../../../shared/web/add/chosen-files.ts'
import { countOf, formatBytes } from '../../../../shared/web/format.ts'

export type UploadKind = 'files' | 'openapi-upload'

/** Returns why the files cannot be sent, before anything is. */
export function problemOf(kind: UploadKind, files: readonly ChosenFile[]): string | undefined {
  const [first] = files
  if (!first) return 'Only hidden files were chosen. Choose documents.'
  const fileBytes = kind === 'files' ? uploadLimits.fileBytes : openapiBytes
  const large = files.find(({ file }) => file.size > fileBytes)
  if (large) return `${large.path} has ${formatBytes(large.file.size)}. A file may have ${formatBytes(fileBytes)}.`
  if (kind === 'openapi-upload') {
    if (files.length > 1) return `Choose one file. You chose ${files.length}; add them one after the other.`
    return describedFile.test(first.path) ? undefined : `${first.path} is no .json, .yaml, .yml or .graphql file.`
  }
  if (files.length > uploadLimits.files)
    return `You chose ${countOf(files.length, 'file')}. An upload may have ${countOf(uploadLimits.files, 'file')}; choose the folder of the documentation, or a .zip.`
  const total = sizeOf(files)
  return total > filesBytes
    ? `The files have ${formatBytes(total)}. An upload may have ${formatBytes(filesBytes)}; choose fewer.`
    : undefined
}
