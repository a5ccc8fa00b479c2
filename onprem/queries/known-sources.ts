import { z } from 'zod'
import { type LibraryId, libraryKey, printLibraryId } from '../../shared/library.ts'
import { knownLibraries } from '../../shared/packages/known-libraries.ts'
import {
  type RecognizedSources,
  type RecognizeRequest,
  recognizeSources,
  Source,
} from '../../shared/packages/recognized-sources.ts'
import { defaultGitHosts, type GitHosts } from '../../shared/reading/git/git-hosts.ts'
import { parseRepoUrl } from '../../shared/reading/git/repo-address.ts'
import { libraryIdOf } from '../store/catalog/library-id-of.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import type { JobStore } from '../store/jobs/job-store.ts'

export type KnownSourcesPorts = {
  catalog: Pick<InstallCatalog, 'find'>
  jobs: Pick<JobStore, 'activeOf' | 'order' | 'unserved'>
  gitHosts(): GitHosts
}

export const KnownLibrariesAnswer = z
  .object({
    libraries: z.array(
      z.object({
        ...Source.shape,
        title: z.string(),
        group: z.string(),
        packages: z.array(z.string()).describe('ecosystem:name; * at the end stands for any name'),
        checked: z.iso.date().nullable().describe('The day on which the repository and its folders were last seen to exist'),
      }),
    ),
  })
  .meta({ id: 'KnownLibraries' })

/** The repositories that a text names, and which of them are here. Throws what `recognize` throws. */
export const recognizeHere = (ports: KnownSourcesPorts, request: RecognizeRequest): Promise<RecognizedSources> =>
  recognizeSources(request, ports.gitHosts(), (address) => {
    const id = libraryIdOf(ports, address)
    return { id, state: stateOf(ports, id) }
  })

/** The popular libraries whose repositories can be read from the hosts in the settings. */
export function listKnownLibraries(ports: KnownSourcesPorts): z.infer<typeof KnownLibrariesAnswer> {
  const { baseUrl } = defaultGitHosts.github
  if (ports.gitHosts().github.baseUrl !== baseUrl) return { libraries: [] }
  return {
    libraries: knownLibraries().map(({ repository, ...library }) => {
      const address = parseRepoUrl(`${baseUrl}/${repository}`, defaultGitHosts)
      const id = libraryIdOf(ports, address)
      return { ...library, libraryId: printLibraryId(id), state: stateOf(ports, id), repoUrl: address.webUrl }
    }),
  }
}

const stateOf = ({ catalog, jobs }: KnownSourcesPorts, id: LibraryId) =>
  catalog.find(id) ? 'present' : jobs.activeOf(libraryKey(id)) ? 'queued' : 'absent'
