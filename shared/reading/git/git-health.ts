import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

export type GitHealth = {
  /** Looks for git and returns a sentence if it is missing or too old. */
  check(): Promise<string | undefined>
  /** The result of the last check. Checks a problem again in the background, so that it disappears when git is installed. */
  problem(): string | undefined
  /** The version of git; undefined if it cannot be run. */
  version(): Promise<string | undefined>
}

const run = promisify(execFile)
const maxMs = 10_000
/** GIT_CONFIG_COUNT and GIT_CONFIG_GLOBAL, which keep the configuration of the machine away from a fetch. */
const minVersion = [2, 32] as const
const install = `Install git ${minVersion.join('.')} or later (for example: apt install git); no restart is needed.`

/** True if the git on the PATH can fetch repositories. */
export function gitHealth(env: Record<string, string | undefined>): GitHealth {
  let lastProblem: string | undefined
  let checking: Promise<string | undefined> | undefined
  const check = () => {
    checking ??= findProblem(env.PATH ?? '').then((problem) => {
      checking = undefined
      lastProblem = problem
      return problem
    })
    return checking
  }
  return {
    check,
    problem() {
      if (lastProblem !== undefined) void check()
      return lastProblem
    },
    version: () => gitVersion(env.PATH ?? '').catch(() => undefined),
  }
}

async function findProblem(PATH: string): Promise<string | undefined> {
  try {
    const version = await gitVersion(PATH)
    const [, major, minor] = /^(\d{1,3})\.(\d{1,3})/.exec(version ?? '') ?? []
    if (version === undefined || isNew(Number(major), Number(minor))) return undefined
    return `git ${version} is too old to fetch repositories. ${install}`
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    return `git ${isMissing ? 'is not installed' : 'cannot be run'}, so no repository can be fetched. ${install}`
  }
}

async function gitVersion(PATH: string): Promise<string | undefined> {
  const { stdout } = await run('git', ['--version'], { env: { PATH, LC_ALL: 'C' }, timeout: maxMs })
  return /\d{1,3}\.\d{1,3}[\w.-]*/.exec(stdout)?.[0]
}

const isNew = (major: number, minor: number): boolean =>
  major > minVersion[0] || (major === minVersion[0] && minor >= minVersion[1])
