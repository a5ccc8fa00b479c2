import { z } from 'zod'
import { AppError } from '../../shared/errors.ts'
import { LicenseName } from '../../shared/keys/license.ts'
import { type LibraryId, libraryKey, printLibraryId } from '../../shared/library.ts'
import { readLibraryId } from '../../shared/schemas/read-library-id.ts'
import type { Licenses } from '../access/licenses.ts'
import { KeyName, plans, type Teamspace, TeamspaceName, type Teamspaces } from '../access/teamspaces.ts'
import type { HostedCatalog } from '../catalog/hosted-catalog.ts'
import { type AddLibraryPorts, addLibrary } from '../jobs/add-library.ts'
import { type RefreshLibraryPorts, refreshLibrary } from '../jobs/refresh-library.ts'
import { type RemoveLibraryPorts, removeLibrary } from '../jobs/remove-library.ts'

export type AdminOperationPorts = AddLibraryPorts &
  RefreshLibraryPorts &
  RemoveLibraryPorts & {
    catalog: Pick<HostedCatalog, 'own'>
    licenses: Pick<Licenses, 'record' | 'find' | 'revoke' | 'trust'>
    teamspaces: Teamspaces
  }

const Library = z.string().min(1).max(501).transform(readLibraryId)
const LicenseClaims = z.object({
  id: z.string().min(1).max(200),
  customer: z.string(),
  kind: z.enum(['offline', 'online']),
  expiresAt: z.iso.datetime(),
  cloudUrl: z.string().optional(),
  teamspace: z.string().optional(),
})

type Operation = { input: z.ZodType; run(ports: AdminOperationPorts, input: never): Promise<unknown> }
const operation = <Schema extends z.ZodType>(
  input: Schema,
  run: (ports: AdminOperationPorts, input: z.output<Schema>) => Promise<unknown>,
): Operation => ({ input, run })

const operations: Record<string, Operation> = {
  createTeamspace: operation(z.object({ name: TeamspaceName, plan: z.enum(plans) }), ({ teamspaces }, { name, plan }) =>
    teamspaces.create(name, plan),
  ),
  createKey: operation(z.object({ teamspace: TeamspaceName, name: KeyName.optional() }), async (ports, { teamspace, name }) => {
    const { id } = await teamspaceOf(ports, teamspace)
    return ports.teamspaces.createKey(id, { ...(name !== undefined && { name }), createdBy: 'operator' })
  }),
  revokeKey: operation(z.object({ id: z.string().max(100) }), async ({ teamspaces }, { id }) => ({
    known: (await teamspaces.revokeKey(id)) !== undefined,
  })),
  own: operation(z.object({ library: Library, teamspace: TeamspaceName }), own),
  add: operation(
    z.object({ repoUrl: z.string().max(501), private: z.boolean(), teamspace: TeamspaceName.optional() }),
    async (ports, { repoUrl, private: isPrivate, teamspace }) => {
      const owner = teamspace === undefined ? undefined : await teamspaceOf(ports, teamspace)
      const { project } = await addLibrary(ports, { repoUrl, isPrivate, ...(owner && { teamspace: owner.id }) })
      return { project }
    },
  ),
  remove: operation(z.object({ library: Library }), (ports, { library }) => removeLibrary(ports, library)),
  refresh: operation(z.object({ library: Library }), (ports, { library }) => refreshLibrary(ports, library)),
  progress: operation(z.object({ library: Library }), progress),
  recordLicense: operation(LicenseClaims, async ({ licenses, teamspaces }, license) => {
    const team = license.teamspace === undefined ? undefined : await teamspaces.find(license.teamspace)
    await licenses.record(license, team?.id)
  }),
  revokeLicense: operation(z.object({ id: LicenseName }), async ({ licenses }, { id }) => {
    await licenses.revoke(id)
    return { license: (await licenses.find(id)) ?? null }
  }),
  trustLicenseKey: operation(z.object({ pem: z.string().max(10_000) }), async ({ licenses }, { pem }) => licenses.trust(pem)),
}

/** The operations behind the commands `hosted …` and `license …`, by name. */
export const adminOperations: ReadonlyMap<string, Operation> = new Map(Object.entries(operations))

/** Throws team_not_found. */
async function teamspaceOf({ teamspaces }: AdminOperationPorts, name: string): Promise<Teamspace> {
  const teamspace = await teamspaces.find(name)
  if (!teamspace)
    throw new AppError('team_not_found', `There is no teamspace "${name}". Create it with "hosted teamspace create".`)
  if (teamspace.deletedAt !== undefined)
    throw new AppError('team_not_found', `The teamspace "${name}" is being deleted. Finish that with "hosted teamspace delete".`)
  return teamspace
}

async function own(
  ports: AdminOperationPorts,
  { library: id, teamspace }: { library: LibraryId; teamspace: string },
): Promise<void> {
  const { id: owner } = await teamspaceOf(ports, teamspace)
  if (id.version !== undefined)
    throw new AppError(
      'validation_error',
      `A teamspace owns all versions of a library: name ${printLibraryId({ owner: id.owner, repo: id.repo })}.`,
    )
  const before = await ports.catalog.record(id)
  if (!before) throw missing(id)
  await ports.teamspaces.own(owner, libraryKey(id), 'operator')
  await ports.catalog.own(id, owner)
  const { teamspace: previous } = before.library
  if (previous !== undefined && previous !== owner) await ports.teamspaces.disown(previous, libraryKey(id))
  await ports.publishNames()
}

const missing = (id: LibraryId): AppError =>
  new AppError('library_not_found', `${printLibraryId(id)} does not exist here. Add it first.`)

async function progress({ catalog, jobs }: AdminOperationPorts, { library: id }: { library: LibraryId }) {
  const [record, job] = await Promise.all([catalog.record(id), jobs.find(libraryKey(id))])
  if (!record) throw missing(id)
  return { state: record.library.state, error: record.lastError ?? null, job: job?.progress ?? null, active: job !== undefined }
}
