import { z } from 'zod'
import { type LibraryId, printLibraryId } from '../library.ts'
import type { GitHosts } from '../reading/git/git-hosts.ts'
import type { RepoAddress } from '../reading/git/repo-address.ts'

/** The place of a library in an install, or in the list of a teamspace. */
export const SourceState = z.enum(['absent', 'queued', 'present'])
export type SourceState = z.infer<typeof SourceState>

export const RecognizeRequest = (maxChars: number) =>
  z.strictObject({
    text: z
      .string()
      .min(1)
      .max(maxChars)
      .describe('Addresses and names, separated by lines, commas or spaces, or the content of a manifest or lock file'),
    fileName: z.string().min(1).max(300).optional().describe('Name of the file; without it, its format is found by its content'),
  })
export type RecognizeRequest = z.infer<ReturnType<typeof RecognizeRequest>>

export const Source = z.object({
  libraryId: z.string().describe('/owner/repo'),
  repoUrl: z.string().describe('The address to add it with'),
  folders: z.array(z.string()).describe('Where the documentation of a known library is; empty if Carrel finds it'),
  state: SourceState.describe('Whether the library is here'),
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
export type RecognizedSources = z.infer<typeof RecognizeAnswer>

/** The repositories that a text names, with the library of each, which `find` returns. Nothing is requested. Throws what `recognize` throws. */
export async function recognizeSources(
  { text, fileName }: RecognizeRequest,
  hosts: GitHosts,
  find: (address: RepoAddress) => { id: LibraryId; state: SourceState },
): Promise<RecognizedSources> {
  const { recognize, treeUrl } = await import('./recognize.ts')
  const { repositories, unknown } = recognize(text, hosts, fileName)
  return {
    repositories: repositories.map(({ address, folders, names, title = null, version = null }) => {
      const { id, state } = find(address)
      return { libraryId: printLibraryId(id), state, repoUrl: treeUrl(address), folders: [...folders], title, names, version }
    }),
    unknown: unknown.map(({ name, problem, suggestion = null }) => ({ name, problem, suggestion })),
  }
}
