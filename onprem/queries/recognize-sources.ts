import { z } from 'zod'
import { type LibraryId, libraryKey, printLibraryId } from '../../shared/library.ts'
import { knownLibraries } from '../../shared/packages/known-libraries.ts'
import { defaultGitHosts, type GitHosts } from '../../shared/reading/git/git-hosts.ts'
import { parseRepoUrl } from '../../shared/reading/git/repo-address.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import type { JobStore } from '../store/jobs/job-store.ts'

export type RecognizePorts = {
  catalog: Pick<InstallCatalog, 'find'>
  jobs: Pick<JobStore, 'activeOf'>
  gitHosts(): GitHosts
}

const maxTextChars = 10 * 1024 * 1024

export const RecognizeRequest = z.strictObject({
  text: z
    .string()
    .min(1)
    .max(maxTextChars)
    .describe('Addresses and names, separated by lines, commas or spaces, or the content of a manifest or lock file'),
  fileName: z.string().min(1).max(300).optional().describe('Name of the file; without it, its format is found by its content'),
})
type RecognizeRequest = z.infer<typeof RecognizeRequest>

const Source = z.object({
  libraryId: z.string().describe('/owner/repo'),
  repoUrl: z.string().describe('To send to POST /api/parse'),
  folders: z.array(z.string()).describe('Where the documentation is, to send with it; empty if a parse finds it'),
  state: z.enum(['absent', 'queued', 'present']).describe('Whether the library is in this install'),
})

export const RecognizeAnswer = z
  .object({
    repositories: z.array(
      z.object({
        ...Source.shape,
        title: z.string().nullable().describe('Of a known library'),
        names: z.array(z.string()).describe('What named it in the text'),
        version: z.string().nullable().describe('The version of a package that the text gives'),
      }),
    ),
    unknown: z.array(
      z.object({
        name: z.string(),
        problem: z.string().describe('What can be sent instead'),
        suggestion: z.string().nullable().describe('The address that was probably meant'),
      }),
    ),
  })
  .meta({ id: 'RecognizedSources' })

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

/** The repositories that a text names, and which of them are here. Nothing is requested. Throws what `recognize` throws. */
export async function recognizeSources(
  ports: RecognizePorts,
  { text, fileName }: RecognizeRequest,
): Promise<z.infer<typeof RecognizeAnswer>> {
  const { recognize, treeUrl } = await import('../../shared/packages/recognize.ts')
  const { repositories, unknown } = recognize(text, ports.gitHosts(), fileName)
  return {
    repositories: repositories.map(({ address, folders, names, title = null, version = null }) => ({
      ...stateOf(ports, address.id),
      repoUrl: treeUrl(address),
      folders: [...folders],
      title,
      names,
      version,
    })),
    unknown: unknown.map(({ name, problem, suggestion = null }) => ({ name, problem, suggestion })),
  }
}

/** The popular libraries whose repositories can be read from the hosts in the settings. */
export function listKnownLibraries(ports: RecognizePorts): z.infer<typeof KnownLibrariesAnswer> {
  const { baseUrl } = defaultGitHosts.github
  if (ports.gitHosts().github.baseUrl !== baseUrl) return { libraries: [] }
  return {
    libraries: knownLibraries().map(({ repository, ...library }) => {
      const { id, webUrl } = parseRepoUrl(`${baseUrl}/${repository}`, defaultGitHosts)
      return { ...library, ...stateOf(ports, id), repoUrl: webUrl }
    }),
  }
}

const stateOf = ({ catalog, jobs }: RecognizePorts, id: LibraryId) => ({
  libraryId: printLibraryId(id),
  state: catalog.find(id) ? ('present' as const) : jobs.activeOf(libraryKey(id)) ? ('queued' as const) : ('absent' as const),
})
