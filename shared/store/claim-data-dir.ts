import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../errors.ts'
import { createIfAbsent } from '../system/create-if-absent.ts'

/** The half that a data directory belongs to. */
export type Half = 'onprem' | 'hosted'

const names = { onprem: 'on-premise half', hosted: 'hosted half' }
const maxMarkerBytes = 100

/** Records the half that owns a data directory, permanently. Throws cannot_start if the other half owns it. */
export function claimDataDir(dataDir: string, half: Half): void {
  const path = join(dataDir, 'half')
  createIfAbsent(path, `${half}\n`, 0o600)
  const owner = readMarker(path)
  if (owner === half) return
  throw new AppError(
    'cannot_start',
    `DATA_DIR ${dataDir} belongs to the ${names[owner]} of Carrel; choose another DATA_DIR for the ${names[half]}.`,
  )
}

function readMarker(path: string): Half {
  const file = statSync(path)
  const text = file.isFile() && file.size <= maxMarkerBytes ? readFileSync(path, 'utf8').trim() : ''
  if (text === 'onprem' || text === 'hosted') return text
  throw new AppError('cannot_start', `The file ${path} must contain onprem or hosted, the owner of this data directory.`)
}
