import { z } from 'zod'
import { AppError } from '../../shared/errors.ts'
import { libraryKey, parseLibraryId, printLibraryId } from '../../shared/library.ts'
import { KeyName, plans, TeamspaceName } from '../access/teamspaces.ts'
import type { Hosted } from '../hosted.ts'
import { addLibrary, refreshLibrary } from '../jobs/add-library.ts'
import { removeLibrary } from '../jobs/remove-library.ts'

const Library = z.string().min(1).max(501)
const LicenseClaims = z.object({
  id: z.string().min(1).max(200),
  customer: z.string(),
  kind: z.enum(['offline', 'online']),
  expiresAt: z.iso.datetime(),
  cloudUrl: z.string().optional(),
  teamspace: z.string().optional(),
})

type Operation = { input: z.ZodType; run(hosted: Hosted, input: never): Promise<unknown> }
const operation = <Schema extends z.ZodType>(
  input: Schema,
  run: (hosted: Hosted, input: z.output<Schema>) => Promise<unknown>,
): Operation => ({ input, run })

const operations: Record<string, Operation> = {
  createTeamspace: operation(z.object({ name: TeamspaceName, plan: z.enum(plans) }), ({ teamspaces }, { name, plan }) =>
    teamspaces.create(name, plan),
  ),
  createKey: operation(z.object({ teamspace: TeamspaceName, name: KeyName.optional() }), ({ teamspaces }, { teamspace, name }) =>
    teamspaces.createKey(teamspace, name),
  ),
  revokeKey: operation(z.object({ id: z.string().max(100) }), async ({ teamspaces }, { id }) => ({
    known: await teamspaces.revokeKey(id),
  })),
  own: operation(z.object({ library: Library, teamspace: TeamspaceName }), own),
  add: operation(
    z.object({ repoUrl: z.string().max(501), private: z.boolean(), teamspace: TeamspaceName.optional() }),
    async (hosted, { repoUrl, private: isPrivate, teamspace }) => {
      const owner = teamspace === undefined ? undefined : await teamspaceOf(hosted, teamspace)
      const added = await addLibrary(hosted, { repoUrl, isPrivate, teamspace: owner })
      if (owner !== undefined) await own(hosted, { library: added.project, teamspace: owner })
      return added
    },
  ),
  remove: operation(z.object({ library: Library }), (hosted, { library }) => removeLibrary(hosted, idOf(library))),
  refresh: operation(z.object({ library: Library }), (hosted, { library }) => refreshLibrary(hosted, idOf(library))),
  progress: operation(z.object({ library: Library }), progress),
  recordLicense: operation(LicenseClaims, async ({ licenses }, license) => licenses.record(license)),
  revokeLicense: operation(z.object({ id: z.string().max(200) }), async ({ licenses }, { id }) => ({
    known: await licenses.revoke(id),
  })),
  trustLicenseKey: operation(z.object({ pem: z.string().max(10_000) }), async ({ licenses }, { pem }) => licenses.trust(pem)),
}

/** What the commands `hosted …` and `license …` ask for, by name. */
export const adminOperations: ReadonlyMap<string, Operation> = new Map(Object.entries(operations))

const idOf = (text: string) => parseLibraryId(text.startsWith('/') ? text : `/${text}`)

/** Whose name it is, as it was created. Throws team_not_found. */
async function teamspaceOf({ teamspaces }: Hosted, name: string): Promise<string> {
  const found = await teamspaces.find(name)
  if (!found) throw new AppError('team_not_found', `There is no teamspace "${name}"; "hosted teamspace create" makes one.`)
  return found.name
}

async function own(hosted: Hosted, { library, teamspace }: { library: string; teamspace: string }): Promise<void> {
  const owner = await teamspaceOf(hosted, teamspace)
  const id = idOf(library)
  if (id.version !== undefined)
    throw new AppError(
      'validation_error',
      `A library is owned with all its versions: name ${printLibraryId({ owner: id.owner, repo: id.repo })}.`,
    )
  const before = await hosted.catalog.record(id)
  if (!before) throw new AppError('library_not_found', `${printLibraryId(id)} is not here; add it first.`)
  await hosted.catalog.own(id, owner)
  await hosted.teamspaces.own(owner, libraryKey(id))
  const { teamspace: earlier } = before.library
  if (earlier !== undefined && earlier !== owner) await hosted.teamspaces.disown(earlier, libraryKey(id))
  await hosted.publishNames()
}

async function progress({ catalog, jobs }: Hosted, { library }: { library: string }) {
  const id = idOf(library)
  const [record, job] = await Promise.all([catalog.record(id), jobs.find(libraryKey(id))])
  if (!record) throw new AppError('library_not_found', `${printLibraryId(id)} is not here; add it first.`)
  return { state: record.library.state, error: record.lastError ?? null, job: job?.progress ?? null, active: job !== undefined }
}
