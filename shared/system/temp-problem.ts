import { accessSync, constants } from 'node:fs'
import { tmpdir } from 'node:os'

/** A sentence if this user cannot write to the folder for temporary files, where LanceDB builds indexes. */
export function tempProblem(): string | undefined {
  const path = tmpdir()
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
    return undefined
  } catch {
    return `This user cannot write to the temporary folder ${path}, so adding, refreshing and importing libraries can fail. Make it writable, or set TMPDIR to another folder and restart the server.`
  }
}
