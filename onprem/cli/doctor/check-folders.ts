import { accessSync, constants, existsSync, type Stats, statfsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { hasDatabase } from '../../../shared/store/database.ts'
import { wholeSentence } from '../../../shared/system/path-problem.ts'
import { diskSize } from '../../../shared/text/figures.ts'
import { dataPathProblems } from '../../store/data-dir/data-paths.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

const megabyte = 1_000_000
const minFreeBytes = 200 * megabyte
const lowFreeBytes = 2_000 * megabyte

/** Never creates the data directory. */
export function checkDataDir(path: string): Finding[] {
  if (!existsSync(path)) {
    const parent = existingParent(path)
    if (!isWritable(parent)) return [problem(`DATA_DIR ${path} does not exist, and this user cannot create it.`, choose)]
    return [ok(`DATA_DIR ${path} does not exist yet; the first start creates it.`), ...checkSpace('DATA_DIR', parent)]
  }
  const stats = statSync(path)
  if (!stats.isDirectory()) return [problem(`DATA_DIR ${path} is not a directory.`, choose)]
  if (!isWritable(path)) return [problem(`This user cannot read and write DATA_DIR ${path}.`, 'Run Carrel as its owner.')]
  const empty = hasDatabase(path) ? [] : [ok(`DATA_DIR ${path} holds no install yet; the first start creates one.`)]
  const unusable = dataPathProblems(path).map((each) => problem(wholeSentence(each.reason), each.help))
  return [checkOwner(path, stats), ...empty, ...unusable, ...checkSpace('DATA_DIR', path)]
}

export function checkTempDir(): Finding[] {
  const path = tmpdir()
  if (!isWritable(path)) return [problem(`This user cannot write to the temporary folder ${path}.`, 'Set TMPDIR to another one.')]
  return checkSpace('The temporary folder', path)
}

const choose = 'Set DATA_DIR to a folder that this user can write to.'

/** The root of a container's volume often belongs to another user, so the owner of the database decides. */
function checkOwner(path: string, { uid, mode }: Stats): Finding {
  const own = process.getuid?.() ?? uid
  const owner = statSync(join(path, 'carrel.db'), { throwIfNoEntry: false })?.uid ?? uid
  if (owner !== own) {
    const message = `DATA_DIR ${path} belongs to another user (uid ${owner}; this is uid ${own}), who could not read files of this one.`
    return warning(message, 'Run commands as the user who runs the server.')
  }
  if (uid !== own) return ok(`DATA_DIR ${path} is writable, and its install belongs to this user.`)
  if ((mode & 0o077) !== 0) return warning(`Other users can open DATA_DIR ${path}.`, `Run: chmod 700 ${path}`)
  return ok(`DATA_DIR ${path} is private and writable.`)
}

function checkSpace(name: string, path: string): Finding[] {
  const { bavail, bsize } = statfsSync(path)
  const free = bavail * bsize
  const message = `${name} has ${diskSize(free)} of free disk space.`
  if (free < minFreeBytes) return [problem(message, `Make room: Carrel needs at least ${diskSize(minFreeBytes)}.`)]
  if (free < lowFreeBytes) return [warning(message, 'Large repositories may not fit.')]
  return [ok(message)]
}

const existingParent = (path: string): string => (existsSync(path) ? path : existingParent(dirname(path)))

const isWritable = (folder: string): boolean => isAccessible(folder, constants.R_OK | constants.W_OK | constants.X_OK)

function isAccessible(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}
