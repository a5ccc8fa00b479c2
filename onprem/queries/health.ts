import { z } from 'zod'
import { embeddingChoice } from '../../shared/ai/embedding-choice.ts'
import type { RefusedConnections } from '../../shared/http/refused-connections.ts'
import { type UnnamedProxies, unnamedProxyWarning } from '../../shared/http/unnamed-proxies.ts'
import { isExpired } from '../../shared/keys/license.ts'
import type { GitHealth } from '../../shared/reading/git/git-health.ts'
import { isPlain, type PublicUrl, plainWarning } from '../../shared/schemas/public-url.ts'
import { llmAddress } from '../../shared/settings/ai-address.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { apiVersion } from '../../shared/system/package-version.ts'
import { tempProblem } from '../../shared/system/temp-problem.ts'
import { pluralize } from '../../shared/text/figures.ts'
import { type VisiblePorts, visibleTo } from '../access/among-visible.ts'
import { type Caller, mayRead } from '../access/caller.ts'
import type { Reader } from '../access/reader.ts'
import { expiredWarning, type LicensePorts } from '../access/resolve-license.ts'
import { hasInitialPassword, initialPasswordWarning } from '../accounts/ensure-initial-credentials.ts'
import type { UserStore } from '../accounts/user-store.ts'
import type { BackupStore } from '../backup/backup-store.ts'
import type { Notifications } from '../notifications/notifications.ts'
import { type LaterGenerations, laterWarning } from '../store/catalog/later-generations.ts'
import { privateWarning, unchosenReaders } from '../store/catalog/private-warning.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import type { DataPaths } from '../store/data-dir/data-paths.ts'
import { type DiskGuard, shortageWarning } from '../store/data-dir/disk-guard.ts'
import type { InterruptedJob } from '../store/jobs/job.ts'
import type { JobStore } from '../store/jobs/job-store.ts'
import { interruptionReason } from '../store/jobs/run-order.ts'
import { type DamageWarningsPorts, damageWarnings, pathWarnings } from './damage-warnings.ts'
import { type SetupPorts, setupState } from './setup-state.ts'

const Configured = z.enum(['configured', 'not configured'])
export const HealthAnswer = z
  .object({
    status: z.literal('healthy'),
    version: z.string().describe('Of the API'),
    setup: z.enum(['required', 'complete']).describe('required while a step of the first setup is neither done nor skipped'),
    license: z.literal('configured'),
    licenseInfo: z.object({
      valid: z.boolean(),
      kind: z.enum(['offline', 'online']),
      teamSize: z.int().describe('Users of this install; licenses do not limit the number of users'),
      expiresAt: z.string(),
    }),
    publicUrl: z.string().optional().describe('The address that users see, if PUBLIC_URL is set'),
    repos_parsed: z.int(),
    uptime: z.number().describe('Seconds'),
    connectivity: z.object({
      llm: Configured,
      llm_provider: z.string().nullable(),
      embedding: Configured,
      embedding_provider: z.string().nullable(),
      github: Configured,
      gitlab: Configured,
    }),
    unchosenReaders: z
      .enum(['everyone', 'key'])
      .optional()
      .describe('Who can read private libraries, if there are any and nobody has chosen it'),
    feedback: z.literal(true).optional().describe('Present if the install keeps feedback about answers'),
    warnings: z.array(z.string()).describe('Problems that an operator should look at'),
  })
  .meta({ id: 'Health' })
type HealthAnswer = z.infer<typeof HealthAnswer>

export type HealthPorts = DamageWarningsPorts &
  SetupPorts &
  LicensePorts &
  VisiblePorts & {
    /** The `performance.now()` of the start, which changes of the clock do not affect. */
    startedAtMs: number
    settings: Pick<SettingsStore, 'get' | 'describe'>
    users: Pick<UserStore, 'count' | 'initial'>
    catalog: Pick<InstallCatalog, 'libraries'>
    laterGenerations: Pick<LaterGenerations, 'list'>
    unnamedProxies: Pick<UnnamedProxies, 'list'>
    refused: Pick<RefusedConnections, 'warning'>
    git: Pick<GitHealth, 'problem'>
    backupStore: Pick<BackupStore, 'failed'>
    notifications: Pick<Notifications, 'channels'>
    disk: DiskGuard
    paths: Pick<DataPaths, 'problems'>
    jobs: Pick<JobStore, 'interrupted'>
    /** True if only this machine can reach the server. */
    loopback: boolean
    publicUrl: PublicUrl | undefined
  }

function embeddingProvider({ settings, aiRuntime }: HealthPorts): string | null {
  const choice = embeddingChoice(settings, aiRuntime.local)
  return choice.state === 'active' ? choice.provider : null
}

/** Sees nothing, because it is not known what a caller may see. */
const nobody: Reader = { name: 'nobody', sees: () => false }

/** The state of the server. Does not fail if the database is damaged: a warning reports that. */
export function health(all: HealthPorts, caller: Caller): HealthAnswer {
  const ports = all.damage.readOr(() => visibleTo(all, caller), { ...all, ...all.readableBy(nobody) })
  const { license, settings, users, catalog, laterGenerations, unnamedProxies, publicUrl, now, startedAtMs } = ports
  const { readOr } = ports.damage
  const git = ports.git.problem()
  const temp = caller.holder && tempProblem()
  const ofPrivate = readOr(
    () => (mayRead(ports, caller) ? { readers: unchosenReaders(ports), warning: privateWarning(ports) } : undefined),
    undefined,
  )
  const shortage = readOr(() => ports.disk.shortage(), undefined)
  const configured = (value: unknown) => (value ? 'configured' : 'not configured')
  const shown = readOr(() => settings.describe(), undefined)
  const expiry = isExpired(license, now()) ? [expiredWarning(license)] : []
  const refused = caller.holder && ports.refused.warning()
  const later = readOr(() => laterGenerations.list(), [])
  const llm = readOr(() => llmAddress(settings.get).provider ?? null, null)
  const embedding = readOr(() => embeddingProvider(ports), null)
  const teamSize = readOr(() => users.count(), 0)
  return {
    status: 'healthy',
    version: apiVersion,
    setup: readOr(() => setupState(ports).complete, true) ? 'complete' : 'required',
    license: 'configured',
    licenseInfo: { valid: !isExpired(license, now()), kind: license.kind, teamSize, expiresAt: license.expiresAt },
    ...(publicUrl && { publicUrl: publicUrl.url }),
    ...(readOr(() => settings.get('feedback.enabled'), false) && { feedback: true as const }),
    repos_parsed: readOr(() => catalog.libraries().length, 0),
    uptime: (performance.now() - startedAtMs) / 1000,
    connectivity: {
      llm: configured(llm),
      llm_provider: llm,
      embedding: configured(embedding),
      embedding_provider: embedding,
      github: configured(shown?.['github.token']),
      gitlab: configured(shown?.['gitlab.token']),
    },
    ...(ofPrivate?.readers && { unchosenReaders: ofPrivate.readers }),
    warnings: [
      ...expiry,
      ...(refused === undefined ? [] : [refused]),
      ...(readOr(() => hasInitialPassword(ports), false) ? [initialPasswordWarning] : []),
      ...(ofPrivate?.warning === undefined ? [] : [ofPrivate.warning]),
      ...(publicUrl && isPlain(publicUrl) ? [plainWarning] : []),
      ...(git === undefined ? [] : [git]),
      ...(temp === undefined ? [] : [temp]),
      ...(shortage === undefined ? [] : [shortageWarning(shortage, caller.holder !== undefined)]),
      ...(later.length > 0 ? [laterWarning(later)] : []),
      ...(caller.holder?.role === 'admin' ? unnamedProxies.list().map(unnamedProxyWarning) : []),
      ...(caller.holder?.role === 'admin' ? failedBackup(ports.backupStore) : []),
      ...(caller.holder?.role === 'admin' ? readOr(() => failingChannels(ports.notifications), []) : []),
      ...readOr(() => interruptedWarnings(ports.jobs.interrupted(), caller), []),
      ...new Set([...damageWarnings(ports, caller), ...pathWarnings(ports.paths, caller)]),
    ],
  }
}

/** Only callers with a key or session see names. */
function interruptedWarnings(jobs: InterruptedJob[], { holder }: Caller): string[] {
  if (!holder) return jobs.slice(0, 1).map(() => 'The server ended repeatedly while it ran a job. Send a key to see which.')
  return jobs.map(({ id, project, interruptions, dueAt }) => {
    const next = dueAt === null ? 'It is running again.' : `It runs again at ${dueAt}.`
    return `Job ${id} of ${project}: ${interruptionReason(interruptions)} ${next}`
  })
}

function failedBackup({ failed }: Pick<BackupStore, 'failed'>): string[] {
  const last = failed()
  return last ? [`The last backup failed at ${last.at}: ${last.message}`] : []
}

const failingChannels = ({ channels }: Pick<Notifications, 'channels'>): string[] =>
  channels().flatMap(({ channel, failing, dropped }) =>
    failing
      ? [
          `Notifications by ${channel} fail since ${failing.since}: ${failing.message}${dropped > 0 ? ` ${pluralize(dropped, 'event')} were dropped.` : ''}`,
        ]
      : [],
  )
