import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AppError } from '../errors.ts'
import { createIfAbsent } from '../system/create-if-absent.ts'

/** The half that a data directory belongs to. */
export type Half = 'onprem' | 'hosted'

const names = { onprem: 'on-premise half', hosted: 'hosted half' }
const maxMarkerBytes = 100

/** Records the half that owns a data directory, permanently. Throws internal_error if the other half owns it. */
export function claimDataDir(dataDir: string, half: Half): void {
  const path = join(dataDir, 'half')
  const hasMarker = existsSync(path)
  const owner = hasMarker ? readMarker(path) : guessOwner(dataDir)
  if (owner !== undefined && owner !== half) {
    throw new AppError(
      'internal_error',
      `DATA_DIR ${dataDir} belongs to the ${names[owner]} of Carrel; choose another DATA_DIR for the ${names[half]}.`,
    )
  }
  if (!hasMarker) createIfAbsent(path, `${half}\n`, 0o600)
}

function readMarker(path: string): Half {
  const file = statSync(path)
  const text = file.isFile() && file.size <= maxMarkerBytes ? readFileSync(path, 'utf8').trim() : ''
  if (text === 'onprem' || text === 'hosted') return text
  throw new AppError('internal_error', `The file ${path} must contain onprem or hosted, the owner of this data directory.`)
}

/** The owner of a directory from an earlier version without a marker file, by its content. */
function guessOwner(dataDir: string): Half | undefined {
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
    // It is empty, or the server will report the error.
    return false
  } finally {
    db?.close()
  }
}
