import { z } from 'zod'
import { AppError } from '../../shared/errors.ts'
import { libraryKey, printLibraryId } from '../../shared/library.ts'
import type { DeclaredLibrary } from '../store/declared/declared-store.ts'
import type { GitopsRuns } from '../store/declared/gitops-runs.ts'
import { followedFile, type Gitops } from './gitops.ts'
import { libraryState, type PlanLibrariesPorts, readDeclared } from './plan-libraries.ts'
import { type PlanSettingsPorts, settingDrift } from './plan-settings.ts'

const time = z.iso.datetime().nullable()
const count = z.int().min(0)

export const GitopsConfig = z
  .object({
    repository: z.string().nullable().describe('The followed repository; null: none'),
    path: z.string().nullable().describe('null: carrel.yaml or repos.yaml in the root'),
    branch: z.string().nullable().describe('null: the default branch'),
    schedule: z.string().describe('manual, 6-hourly, daily, weekly, or five fields of cron, in UTC'),
    prune: z.boolean().describe('Whether libraries are deleted that the file declared before and no longer names'),
  })
  .meta({ id: 'GitopsConfig' })

export const RunCounts = z.object({ created: count, updated: count, unchanged: count, pruned: count, skipped: count })

export const GitopsStatus = GitopsConfig.extend({
  running: z.boolean(),
  next: time.describe('When the repository is checked next; null: never by itself'),
  checkedAt: time.describe('The last check, also if it failed'),
  commit: z.string().nullable().describe('The commit that was last applied'),
  fileUrl: z.string().nullable().describe('The page of the file at that commit'),
  appliedAt: time,
  counts: RunCounts.nullable().describe('What that commit changed; skipped ones are tried again'),
  skipped: z.array(z.object({ library: z.string(), reason: z.string() })),
  failed: z.object({ at: z.string(), message: z.string() }).nullable().describe('Why checks fail, and since when'),
  libraries: count.describe('Libraries that the file declares'),
  settings: count.describe('Settings that the file declares'),
  drift: z
    .array(z.object({ kind: z.enum(['library', 'setting']), name: z.string(), message: z.string() }))
    .describe('What differs from the file now'),
}).meta({ id: 'GitopsStatus' })

export type GitopsStatusPorts = PlanLibrariesPorts &
  PlanSettingsPorts & { gitopsRuns: Pick<GitopsRuns, 'last'>; gitops: Pick<Gitops, 'isRunning' | 'next'> }

export const gitopsConfig = ({ settings }: Pick<GitopsStatusPorts, 'settings'>): z.infer<typeof GitopsConfig> => ({
  repository: settings.get('gitops.repository') ?? null,
  path: settings.get('gitops.path') ?? null,
  branch: settings.get('gitops.branch') ?? null,
  schedule: settings.get('gitops.schedule'),
  prune: settings.get('gitops.prune'),
})

/** The declarations of the followed repository, and how the install differs from it. */
export function gitopsStatus(ports: GitopsStatusPorts): z.infer<typeof GitopsStatus> {
  const { gitopsRuns, gitops, declared, settings } = ports
  const isFollowing = followedFile(settings) !== undefined
  const run = isFollowing ? gitopsRuns.last() : undefined
  const libraries = isFollowing ? declared.libraries().filter(({ by, named }) => by === 'git' && named) : []
  const declaredSettings = isFollowing ? declared.settings().filter(({ by }) => by === 'git') : []
  return {
    ...gitopsConfig(ports),
    running: gitops.isRunning(),
    next: gitops.next()?.toISOString() ?? null,
    checkedAt: run?.checkedAt ?? null,
    commit: run?.commit ?? null,
    fileUrl: run?.fileUrl ?? null,
    appliedAt: run?.appliedAt ?? null,
    counts: run?.counts ?? null,
    skipped: run?.skipped ?? [],
    failed: run?.failed ?? null,
    libraries: libraries.length,
    settings: declaredSettings.length,
    drift: [
      ...libraries.flatMap((each) => {
        const message = libraryDrift(ports, each)
        return message === undefined ? [] : [{ kind: 'library' as const, name: printLibraryId(each.id), message }]
      }),
      ...settingDrift(ports, declaredSettings).map((each) => ({ kind: 'setting' as const, ...each })),
    ],
  }
}

function libraryDrift(ports: GitopsStatusPorts, library: DeclaredLibrary): string | undefined {
  try {
    const { change, details } = libraryState(ports, readDeclared(ports, library))
    if (change === 'added') return 'is missing'
    const failed = ports.jobs.unserved.find(libraryKey(library.id))
    if (change === 'changed' && failed?.state === 'error') return `could not be added: job ${failed.job.id} says why`
    return change === 'unchanged' ? undefined : details.join('; ')
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return error.message
  }
}
