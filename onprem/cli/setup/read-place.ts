import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute } from 'node:path'
import { UsageError } from '../../../shared/cli/usage-error.ts'
import type { Place } from './client-files.ts'
import { realPath } from './text-file.ts'

/** The files of this user, or of the project in the current folder. Throws a usage error if setup must not write there. */
export function readPlace(isProject: boolean): Place {
  const { env, platform } = process
  const home = homedir()
  if (!isAbsolute(home)) throw new UsageError('setup: the variable HOME must be the absolute path of your home folder.')
  const project = isProject ? process.cwd() : undefined
  if (project !== undefined && project === realPath(home))
    throw new UsageError('setup: --project is for the folder of a project, not for your home folder. Run setup without it.')
  const folder = project ?? home
  if (env.SUDO_UID !== undefined && !isOwn(folder))
    throw new UsageError(`Run setup without sudo: ${folder} belongs to another user, whose clients could not change its files.`)
  return { home: { home, env, platform }, project, folder: process.cwd() }
}

/** A missing folder belongs to the user who creates it. */
function isOwn(folder: string): boolean {
  const owner = statSync(folder, { throwIfNoEntry: false })?.uid
  return owner === undefined || owner === process.getuid?.()
}
