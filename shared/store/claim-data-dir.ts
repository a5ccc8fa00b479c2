import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AppError } from '../errors.ts'
import { createIfAbsent } from '../system/create-if-absent.ts'

/** Which half a data directory belongs to. */
export type Half = 'onprem' | 'hosted'

const names = { onprem: 'on-premise half', hosted: 'hosted half' }
const maxMarkerBytes = 100

/** Writes down whose a data directory is, once and for good. Throws internal_error, with one sentence, where it is the other half's. */
export function claimDataDir(dataDir: string, half: Half): void {
  const path = join(dataDir, 'half')
  const marked = existsSync(path)
  const owner = marked ? written(path) : found(dataDir)
  if (owner !== undefined && owner !== half) {
    throw new AppError(
      'internal_error',
      `DATA_DIR ${dataDir} belongs to the ${names[owner]} of Carrel; choose another DATA_DIR for the ${names[half]}.`,
    )
  }
  if (!marked) createIfAbsent(path, `${half}\n`, 0o600)
}

function written(path: string): Half {
  const file = statSync(path)
  const text = file.isFile() && file.size <= maxMarkerBytes ? readFileSync(path, 'utf8').trim() : ''
  if (text === 'onprem' || text === 'hosted') return text
  throw new AppError('internal_error', `The file ${path} must say whose this data directory is: onprem or hosted.`)
}

/** Whose a directory is that was in use before servers wrote it down, by what it holds. */
function found(dataDir: string): Half | undefined {
  if (existsSync(join(dataDir, 'dynamodb'))) return 'hosted'
  return holdsJobs(join(dataDir, 'carrel.db')) ? 'onprem' : undefined
}

function holdsJobs(path: string): boolean {
  if (!existsSync(path)) return false
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(path, { timeout: 5000 })
    return db.prepare("SELECT 1 FROM sqlite_sequence WHERE name = 'jobs' UNION ALL SELECT 1 FROM libraries").get() !== undefined
  } catch {
    // It is empty, or the server will say what is wrong with it.
    return false
  } finally {
    db?.close()
  }
}
