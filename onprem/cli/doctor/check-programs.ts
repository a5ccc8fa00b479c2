import manifest from '../../../package.json' with { type: 'json' }
import { gitHealth } from '../../../shared/reading/git/git-health.ts'
import { loadLance } from '../../../shared/store/load-lance.ts'
import { packageVersion } from '../../../shared/system/package-version.ts'
import { type DoctorPorts, type Finding, ok, problem } from './finding.ts'

export const checkVersions = (): Finding =>
  ok(`Carrel ${packageVersion()}, Node ${process.versions.node}, ${process.platform} ${process.arch}`)

/** Loads the native module. */
export async function checkLance(): Promise<Finding> {
  await loadLance()
  return ok(`LanceDB ${manifest.dependencies['@lancedb/lancedb']} can be loaded.`)
}

export async function checkGit({ env }: Pick<DoctorPorts, 'env'>): Promise<Finding> {
  const git = gitHealth(env)
  const gitProblem = await git.check()
  return gitProblem === undefined ? ok(`git version ${await git.version()}`) : problem(gitProblem)
}
