import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../../shared/errors.ts'
import { isFullDisk } from '../../../shared/system/full-disk.ts'
import { asMachineError, UnusablePath } from '../../../shared/system/machine-error.ts'
import { type PathProblem, type PathUse, pathProblem, sentenceOf } from '../../../shared/system/path-problem.ts'
import { tempProblem } from '../../../shared/system/temp-problem.ts'

/** The files and folders below DATA_DIR that this user cannot use, looked for at most every two seconds. */
export type DataPaths = {
  /** A sentence for each, with its path and owner and the command that helps. */
  problems(): string[]
  /** The sentence about the folder of the snippets, without which neither questions nor jobs can run. */
  snippets(): string | undefined
  /** The same, looked for at once, if that is why reading content failed with this error. */
  unreadSnippets(error: unknown): string | undefined
  /** The reason for an error of a job, if it is on this machine: a path, or the folder for temporary files. Returns other errors unchanged. */
  explain(error: unknown): unknown
}

const maxAgeMs = 2_000
/** LanceDB reports a folder that it cannot read like damaged or replaced content. */
const unreadCodes: AppError['code'][] = ['search_failed', 'data_damaged', 'temporarily_unavailable', 'not_found']

const written = { kind: 'file', writes: true } as const
const read = { kind: 'file', writes: false } as const
const folder = { kind: 'folder', writes: true } as const
const readFolder = { kind: 'folder', writes: false } as const

/** Tables of LanceDB are folders. */
const snippets = 'snippets'

/** Files and folders that a server needs. A missing one is created when it is needed, so only existing files and folders are checked. */
const uses: Record<string, PathUse> = {
  'carrel.db': written,
  'carrel.db-wal': written,
  'carrel.db-shm': written,
  'vectors.db': written,
  'vectors.db-wal': written,
  'vectors.db-shm': written,
  'texts.db': written,
  'texts.db-wal': written,
  'texts.db-shm': written,
  'salts.db': written,
  'secrets.key': read,
  'sessions.key': read,
  'dev-license.pem': read,
  'dev-license.pub.pem': read,
  'dev-bundle.pem': read,
  'dev-bundle.pub.pem': read,
  reads: written,
  reserve: written,
  half: read,
  'server.lock': written,
  'initial-password': read,
  [snippets]: folder,
  clones: folder,
  imports: folder,
  backups: folder,
  'backup-work': folder,
  // A model may be mounted read-only.
  models: readFolder,
  runtime: readFolder,
  vendor: readFolder,
}

/** Folders whose entries another user may have written. */
const withEntries: Record<string, PathUse> = {
  [snippets]: folder,
  imports: { kind: 'any', writes: true },
  models: { kind: 'any', writes: false },
  vendor: { kind: 'any', writes: false },
}

export function dataPaths(dataDir: string): DataPaths {
  let problems: PathProblem[] = []
  let checkedAtMs = Number.NEGATIVE_INFINITY
  const current = (): PathProblem[] => {
    if (performance.now() - checkedAtMs > maxAgeMs) {
      problems = dataPathProblems(dataDir)
      checkedAtMs = performance.now()
    }
    return problems
  }
  return {
    problems: () => current().map(sentenceOf),
    snippets() {
      const problem = current().find(({ path }) => path === dataDir || path === join(dataDir, snippets))
      return problem && sentenceOf(problem)
    },
    unreadSnippets(error) {
      if (error instanceof AppError && !unreadCodes.includes(error.code)) return undefined
      const problem = pathProblem(dataDir, folder) ?? pathProblem(join(dataDir, snippets), folder)
      return problem && sentenceOf(problem)
    },
    explain(thrown) {
      if (isFullDisk(thrown)) return thrown
      const error = asMachineError(thrown, dataDir)
      if (error instanceof AppError) return error
      // LanceDB and git name no path.
      const [problem] = dataPathProblems(dataDir)
      if (problem) return new UnusablePath(sentenceOf(problem), error)
      const temp = tempProblem()
      return temp === undefined ? error : new AppError('not_configured', temp, { cause: error })
    },
  }
}

/** The paths of a data directory that this user cannot use: the folder itself, else what is in it. Of the entries of one folder, the first. */
export function dataPathProblems(dataDir: string): PathProblem[] {
  const own = pathProblem(dataDir, folder)
  if (own) return [own]
  return Object.entries(uses).flatMap(([name, use]) => {
    const path = join(dataDir, name)
    return pathProblem(path, use) ?? entryProblem(path, withEntries[name]) ?? []
  })
}

function entryProblem(path: string, use: PathUse | undefined): PathProblem | undefined {
  if (use === undefined) return undefined
  for (const name of namesIn(path)) {
    const problem = name.startsWith('.') ? undefined : pathProblem(join(path, name), use)
    if (problem) return problem
  }
  return undefined
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}
