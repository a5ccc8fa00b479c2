import { otherFile, otherFolder } from './source-files.ts'

/** Folders in the root of a repository whose code users of a library do not import. */
const ofRepository = /^(?:docs?|documentation|website|examples?|samples?|demos?|tutorials?|tools?|scripts?|ci|hack|misc)$/i
const internal = /^(?:internal|internals)$/i

/** True for a source file that an API reference is read from, by its path: no tests, tools, examples or generated code. */
export function isReferenceSource(path: string): boolean {
  const folders = path.split('/')
  const name = folders.pop() ?? ''
  if (otherFile.test(name.replace(/\.d\.ts$/, '.ts')) || (folders[0] !== undefined && ofRepository.test(folders[0]))) return false
  return !folders.some((folder) => otherFolder.test(folder) || internal.test(folder))
}
