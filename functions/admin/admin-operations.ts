import { z } from 'zod'
import { AppError } from '../../shared/errors.ts'
import { readSchedule, ScheduleText } from '../../shared/freshness/refresh-schedule.ts'
import { LicenseName } from '../../shared/keys/license.ts'
import { type LibraryId, libraryKey, printLibraryId } from '../../shared/library.ts'
import { readLibraryId } from '../../shared/schemas/read-library-id.ts'
import { flaggedRules } from '../../shared/snippet.ts'
import type { Salts } from '../../shared/usage/salts.ts'
import type { Audit } from '../access/audit.ts'
import type { Licenses } from '../access/licenses.ts'
import type { PlanRequests } from '../access/plan-requests.ts'
import { KeyName, plans, roles, scopes, type Teamspace, TeamspaceName, type Teamspaces } from '../access/teamspaces.ts'
import type { HostedCatalog } from '../catalog/hosted-catalog.ts'
import type { LibraryChecks } from '../freshness/library-checks.ts'
import { planAgain } from '../freshness/plan-again.ts'
import { type AddLibraryPorts, addLibrary } from '../jobs/add-library.ts'
import { type RefreshLibraryPorts, refreshLibrary } from '../jobs/refresh-library.ts'
import { removeLibrary } from '../jobs/remove-library.ts'
import { type EraseUsagePorts, eraseUsage } from '../recovery/erase-usage.ts'
import { type RecoverPorts, recover } from '../recovery/recover.ts'
import { type DeleteTeamspacePorts, deleteTeamspace } from './delete-teamspace.ts'
import { type Operation, operationsOver } from './operation.ts'
import { type TakedownOperationPorts, takedownOperations } from './takedown-operations.ts'

export type AdminOperationPorts = AddLibraryPorts &
  TakedownOperationPorts &
  RefreshLibraryPorts &
  DeleteTeamspacePorts &
  EraseUsagePorts &
  Omit<RecoverPorts, 'deleteTeamspace'> & {
    salts: Pick<Salts, 'erase'>
    catalog: Pick<HostedCatalog, 'own' | 'changeSettings'>
    checks: Pick<LibraryChecks, 'plan'>
    licenses: Pick<Licenses, 'record' | 'find' | 'revoke' | 'trust'>
    teamspaces: Teamspaces
    planRequests: Pick<PlanRequests, 'list' | 'remove'>
    audit: Audit
    now(): Date
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
const Named = z.object({ name: TeamspaceName })
const KeyId = z.object({ id: z.string().max(100) })
const NewKey = z.object({
  teamspace: TeamspaceName,
  name: KeyName.optional(),
  role: z.enum(roles).default('admin'),
  scope: z.enum(scopes).default('admin'),
  expiresAt: z.iso.datetime().optional(),
})

const { reading, changing } = operationsOver<AdminOperationPorts>()

const operations: Record<string, Operation<AdminOperationPorts>> = {
  ...takedownOperations,
  createTeamspace: changing(
    z.object({ name: TeamspaceName, plan: z.enum(plans) }),
    async (_, { name, plan }) => ({ after: { name, plan } }),
    ({ teamspaces }, { name, plan }) => teamspaces.create(name, plan),
  ),
  listTeamspaces: reading(z.object({}), ({ teamspaces }) => teamspaces.list()),
  renameTeamspace: changing(
    z.object({ name: TeamspaceName, to: TeamspaceName }),
    async (ports, { name, to }) => {
      const teamspace = await teamspaceOf(ports, name)
      return { teamspace: teamspace.id, before: { name: teamspace.name }, after: { name: to } }
    },
    async (ports, { name, to }) => ports.teamspaces.rename((await teamspaceOf(ports, name)).id, to),
  ),
  setPlan: changing(
    z.object({ name: TeamspaceName, plan: z.enum(plans) }),
    async (ports, { name, plan }) => {
      const teamspace = await teamspaceOf(ports, name)
      return { teamspace: teamspace.id, before: { plan: teamspace.plan }, after: { plan } }
    },
    async (ports, { name, plan }) => {
      const { id } = await teamspaceOf(ports, name)
      await ports.teamspaces.setPlan(id, plan)
      await ports.planRequests.remove(id)
    },
  ),
  listPlanRequests: reading(z.object({}), async ({ planRequests, teamspaces }) => {
    const requests = await planRequests.list()
    return Promise.all(
      requests.map(async ({ team, ...request }) => ({ teamspace: (await teamspaces.get(team))?.name ?? team, ...request })),
    )
  }),
  deleteTeamspace: changing(
    Named,
    async (ports, { name }) => {
      const teamspace = await namedTeamspace(ports, name)
      // Not among the entries of the teamspace, whose name will lead to nothing.
      return { before: { name: teamspace.name, id: teamspace.id } }
    },
    async (ports, { name }) => deleteTeamspace(ports, (await namedTeamspace(ports, name)).id),
  ),
  createKey: changing(
    NewKey,
    async (ports, { teamspace, name = '', role, scope, expiresAt = 'never' }) => ({
      teamspace: (await teamspaceOf(ports, teamspace)).id,
      after: { name, role, scope, expiresAt },
    }),
    createKey,
  ),
  listKeys: reading(Named, async (ports, { name }) => ports.teamspaces.listKeys((await teamspaceOf(ports, name)).id)),
  revokeKey: changing(
    KeyId,
    async ({ teamspaces }, { id }) => ({ teamspace: await teamspaces.teamspaceOfKey(id), before: { key: id } }),
    async ({ teamspaces }, { id }) => ({ known: await teamspaces.revokeKey(id) }),
  ),
  own: changing(
    z.object({ library: Library, teamspace: TeamspaceName }),
    async (ports, { library, teamspace }) => {
      const owner = await teamspaceOf(ports, teamspace)
      const previous = (await ports.catalog.record(library))?.teamspace ?? 'none'
      return {
        teamspace: owner.id,
        before: { library: printLibraryId(library), owner: previous },
        after: { owner: owner.id, name: owner.name },
      }
    },
    own,
  ),
  add: changing(
    z.object({ repoUrl: z.string().max(501), private: z.boolean(), teamspace: TeamspaceName.optional() }),
    async (ports, { repoUrl, private: isPrivate, teamspace }) => ({
      teamspace: teamspace === undefined ? undefined : (await teamspaceOf(ports, teamspace)).id,
      after: { repository: withoutCredentials(repoUrl), private: String(isPrivate) },
    }),
    async (ports, { repoUrl, private: isPrivate, teamspace }) => {
      const owner = teamspace === undefined ? undefined : await teamspaceOf(ports, teamspace)
      const { project } = await addLibrary(ports, { repoUrl, isPrivate, ...(owner && { teamspace: owner.id }) })
      return { project }
    },
  ),
  remove: changing(
    z.object({ library: Library }),
    async ({ catalog }, { library }) => ({
      teamspace: (await catalog.record(library))?.teamspace,
      before: { library: printLibraryId(library) },
    }),
    (ports, { library }) => removeLibrary(ports, library),
  ),
  refresh: changing(
    z.object({ library: Library }),
    async (_, { library }) => ({ after: { library: printLibraryId(library) } }),
    (ports, { library }) => refreshLibrary(ports, library),
  ),
  schedule: changing(
    z.object({ library: Library, schedule: z.union([z.literal('default'), ScheduleText]) }),
    async ({ catalog }, { library, schedule }) => ({
      teamspace: (await catalog.record(library))?.teamspace,
      after: { library: printLibraryId(library), schedule },
    }),
    setSchedule,
  ),
  flagged: changing(
    z.object({ library: Library, rule: z.enum([...flaggedRules, 'default']) }),
    async ({ catalog }, { library, rule }) => ({
      teamspace: (await catalog.record(library))?.teamspace,
      after: { library: printLibraryId(library), flagged: rule },
    }),
    ({ catalog }, { library, rule }) =>
      catalog.changeSettings(library, ({ flagged: _, ...settings }) => ({
        ...settings,
        ...(rule !== 'default' && { flagged: rule }),
      })),
  ),
  progress: reading(z.object({ library: Library }), progress),
  recordLicense: changing(
    LicenseClaims,
    async (ports, { id, customer, kind, teamspace }) => ({
      teamspace: (await licensedTeamspace(ports, teamspace))?.id,
      after: { license: id, customer, kind },
    }),
    async (ports, license) => ports.licenses.record(license, (await licensedTeamspace(ports, license.teamspace))?.id),
  ),
  revokeLicense: changing(
    z.object({ id: LicenseName }),
    async (_, { id }) => ({ before: { license: id } }),
    async ({ licenses }, { id }) => {
      await licenses.revoke(id)
      return { license: (await licenses.find(id)) ?? null }
    },
  ),
  trustLicenseKey: changing(
    z.object({ pem: z.string().max(10_000) }),
    async (_, { pem }) => ({ after: { key: pem } }),
    async ({ licenses }, { pem }) => licenses.trust(pem),
  ),
  eraseUsage: changing(
    z.object({ library: Library }),
    async ({ catalog }, { library }) => ({
      teamspace: (await catalog.record(library))?.teamspace,
      before: { library: printLibraryId(library) },
    }),
    (ports, { library }) => eraseUsage(ports, library),
  ),
  eraseSalts: changing(
    z.object({}),
    async () => ({}),
    ({ salts }) => salts.erase(),
  ),
  recover: changing(
    z.object({ restoredTo: z.iso.datetime() }),
    async (_, { restoredTo }) => ({ before: { restoredTo } }),
    (ports, { restoredTo }) => recover({ ...ports, deleteTeamspace: (id) => deleteTeamspace(ports, id) }, new Date(restoredTo)),
  ),
  listAudit: reading(z.object({ teamspace: TeamspaceName.optional() }), async (ports, { teamspace }) =>
    // The entries of a deleted teamspace are found by its id.
    ports.audit.list(teamspace === undefined ? undefined : ((await ports.teamspaces.find(teamspace))?.id ?? teamspace)),
  ),
}

/** The operations behind the commands `hosted …` and `license …`, by name. */
export const adminOperations: ReadonlyMap<string, Operation<AdminOperationPorts>> = new Map(Object.entries(operations))

/** The teamspace of a name, also while it is being deleted. Throws team_not_found. */
async function namedTeamspace({ teamspaces }: AdminOperationPorts, name: string): Promise<Teamspace> {
  const teamspace = await teamspaces.find(name)
  if (teamspace) return teamspace
  throw new AppError('team_not_found', `There is no teamspace "${name}". Create it with "hosted teamspace create".`)
}

/** Throws team_not_found. */
async function teamspaceOf(ports: AdminOperationPorts, name: string): Promise<Teamspace> {
  const teamspace = await namedTeamspace(ports, name)
  if (teamspace.deletedAt === undefined) return teamspace
  throw new AppError('team_not_found', `The teamspace "${name}" is being deleted. Finish that with "hosted teamspace delete".`)
}

/** A license may name a teamspace of another service, or none. */
const licensedTeamspace = async ({ teamspaces }: AdminOperationPorts, name: string | undefined) =>
  name === undefined ? undefined : teamspaces.find(name)

/** Throws library_not_found. */
async function setSchedule(
  ports: AdminOperationPorts,
  { library, schedule }: { library: LibraryId; schedule: string },
): Promise<void> {
  const own = readSchedule(schedule)
  await ports.catalog.changeSettings(library, ({ schedule: _, ...settings }) => ({ ...settings, ...(own && { schedule: own }) }))
  await planAgain(ports, libraryKey(library), own ?? null)
}

async function createKey(
  ports: AdminOperationPorts,
  { teamspace, name, expiresAt, ...rights }: z.output<typeof NewKey>,
  who: string,
) {
  if (expiresAt !== undefined && new Date(expiresAt) <= ports.now())
    throw new AppError('validation_error', 'The expiry of a key must be in the future.')
  const { id } = await teamspaceOf(ports, teamspace)
  return ports.teamspaces.createKey(id, {
    ...rights,
    ...(name !== undefined && { name }),
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
    createdBy: who,
  })
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

/** A query may hold a token, and a password an @. */
const withoutCredentials = (repoUrl: string): string => repoUrl.replace(/^(\s*\w+:\/\/)[^/]*@/, '$1').replace(/\?.*$/s, '')
