import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { jsonBody } from '../../shared/http/json-body.ts'
import { printLibraryId } from '../../shared/library.ts'
import { parseRepoUrl } from '../../shared/reading/git/repo-address.ts'
import type { PublicUrl } from '../../shared/schemas/public-url.ts'
import { shortText } from '../../shared/schemas/short-text.ts'
import { actorOf, type CallerEnv, type RightPorts, requireRight } from '../access/caller.ts'
import { rejectForeignSite } from '../access/reject-foreign-page.ts'
import { changeSettings } from '../actions/change-settings.ts'
import { inField } from '../actions/read-parse-request.ts'
import { type Applied, type ApplyPorts, applyManifest, type Plan, planManifest } from '../declared/apply-manifest.ts'
import type { Gitops } from '../declared/gitops.ts'
import {
  GitopsConfig,
  GitopsStatus,
  type GitopsStatusPorts,
  gitopsConfig,
  gitopsStatus,
  RunCounts,
} from '../declared/gitops-status.ts'
import { manifestSchema } from '../declared/manifest.ts'
import { maxManifestBytes } from '../declared/parse-yaml.ts'
import { readManifest } from '../declared/read-manifest.ts'

/** A JSON text may need six bytes for one of the file. */
const maxBodyBytes = 8 * maxManifestBytes

const ManifestFile = z.strictObject({
  file: z.string().describe('The text of carrel.yaml'),
  name: shortText(200).default('carrel.yaml').describe('The name of the file, for the audit log'),
  prune: z
    .boolean()
    .default(false)
    .describe('Delete libraries, and versions of libraries, that an applied file declared before and this one does not'),
})
const PlanAnswer = z
  .object({
    libraries: z.array(
      z.object({
        id: z.string(),
        change: z.enum(['added', 'changed', 'unchanged', 'removed', 'kept', 'skipped']),
        details: z.array(z.string()).describe('What changes, or why it is skipped'),
      }),
    ),
    settings: z.array(z.object({ name: z.string(), change: z.enum(['changed', 'unchanged']), from: z.string(), to: z.string() })),
  })
  .meta({ id: 'ManifestPlan', description: 'What differs. kept: the file no longer names it; prune deletes it' })
const AppliedAnswer = PlanAnswer.extend({ counts: RunCounts, jobs: z.array(z.int()).describe('Ids of the queued jobs') })
const ReconcileQuery = z.object({
  force: z.enum(['true', 'false']).default('false').describe('Also apply a commit that was applied before'),
})
const ReconcileAnswer = RunCounts.extend({ commit: z.string(), message: z.string() })
const ConfigChange = z
  .strictObject({
    repository: z.string().min(1).max(500).nullable().describe('null follows no repository'),
    path: z.string().nullable(),
    branch: z.string().nullable(),
    schedule: z.string().nullable().describe('null: every 15 minutes'),
    prune: z.boolean(),
  })
  .partial()

type GitopsRoutesPorts = RightPorts & ApplyPorts & GitopsStatusPorts & { gitops: Gitops; publicUrl: PublicUrl | undefined }

/** Libraries and settings that a file declares, applied by an admin or followed in a repository. */
export const gitopsRoutes = (ports: GitopsRoutesPorts) =>
  new Hono<CallerEnv>()
    .post(
      '/gitops/plan',
      describeRoute({
        operationId: 'planManifest',
        tags: ['GitOps'],
        summary: 'Show what a file would change',
        description: 'Compares carrel.yaml with the install. Nothing is changed. A file with one mistake is rejected as a whole.',
        responses: { 200: json(PlanAnswer, 'The differences') },
      }),
      requireRight(ports, 'admin'),
      jsonBody(maxBodyBytes),
      input('json', ManifestFile),
      async (c) => {
        const { file, prune } = c.req.valid('json')
        return c.json(planAnswer(planManifest(ports, await readManifest(file), { by: 'file', prune })))
      },
    )
    .post(
      '/gitops/apply',
      describeRoute({
        operationId: 'applyManifest',
        tags: ['GitOps'],
        summary: 'Apply a file',
        description:
          'Changes settings and queues libraries so that the install is as carrel.yaml declares it. A library that cannot be changed now is skipped. A second time, nothing changes.',
        responses: { 202: json(AppliedAnswer, 'Settings are changed, libraries are queued') },
      }),
      requireRight(ports, 'admin'),
      jsonBody(maxBodyBytes),
      input('json', ManifestFile),
      async (c) => {
        const { file, name, prune } = c.req.valid('json')
        const caller = c.get('caller')
        const record = () => ports.audit.record({ actor: actorOf(caller), action: 'gitops.apply', subject: name })
        const applied = await applyManifest(ports, caller, await readManifest(file), { by: 'file', prune, record })
        return c.json(appliedAnswer(applied), 202)
      },
    )
    .post(
      '/gitops/reconcile',
      describeRoute({
        operationId: 'reconcile',
        tags: ['GitOps'],
        summary: 'Apply the file of the followed repository',
        description:
          'Fetches the repository of the settings and applies its file. A commit that was applied before is skipped. Joins a run that has begun.',
        responses: { 200: json(ReconcileAnswer, 'Settings are changed, libraries are queued') },
        errors: [403, 404, 409, 413, 422, 429, 502, 504],
      }),
      rejectForeignSite(ports),
      requireRight(ports, 'admin'),
      input('query', ReconcileQuery),
      async (c) => {
        const subject = ports.settings.get('gitops.repository') ?? 'none'
        ports.audit.record({ actor: actorOf(c.get('caller')), action: 'gitops.reconcile', subject })
        return c.json(await ports.gitops.reconcile(c.req.valid('query').force === 'true'))
      },
    )
    .get(
      '/gitops/status',
      describeRoute({
        operationId: 'getGitopsStatus',
        tags: ['GitOps'],
        summary: 'Get the state of the followed repository',
        description: 'Returns the settings, the result of the last check, and what differs from the file now.',
        responses: { 200: json(GitopsStatus, 'The state') },
      }),
      requireRight(ports, 'admin'),
      (c) => c.json(gitopsStatus(ports)),
    )
    .get(
      '/gitops/config',
      describeRoute({
        operationId: 'getGitopsConfig',
        tags: ['GitOps'],
        summary: 'Get which repository is followed',
        description: 'Returns the settings gitops.*.',
        responses: { 200: json(GitopsConfig, 'The settings') },
      }),
      requireRight(ports, 'admin'),
      (c) => c.json(gitopsConfig(ports)),
    )
    .put(
      '/gitops/config',
      describeRoute({
        operationId: 'changeGitopsConfig',
        tags: ['GitOps'],
        summary: 'Choose which repository is followed',
        description:
          'Changes the named settings; the others stay. A new repository is checked immediately unless the schedule is manual.',
        responses: { 200: json(GitopsConfig, 'The settings') },
      }),
      requireRight(ports, 'admin'),
      jsonBody(64 * 1024),
      input('json', ConfigChange),
      (c) => {
        const changes = c.req.valid('json')
        const { repository } = changes
        if (repository != null) inField('repository', () => parseRepoUrl(repository, ports.gitHosts()))
        const settings = Object.entries(changes).map(([name, value]) => [`gitops.${name}`, value])
        changeSettings(ports, c.get('caller'), Object.fromEntries(settings))
        void ports.gitops.runIfDue()
        return c.json(gitopsConfig(ports))
      },
    )
    .get(
      '/gitops/schema.json',
      describeRoute({
        operationId: 'getManifestSchema',
        tags: ['GitOps'],
        summary: 'Get the JSON Schema of carrel.yaml',
        description: 'For editors, which complete and check the file.',
        responses: { 200: json(z.record(z.string(), z.unknown()), 'The schema') },
      }),
      (c) => c.json(manifestSchema()),
    )

const planAnswer = ({ libraries, settings }: Plan): z.infer<typeof PlanAnswer> => ({
  libraries: libraries.map(({ id, change, details }) => ({ id: printLibraryId(id), change, details })),
  settings: settings.planned,
})

const appliedAnswer = (applied: Applied): z.infer<typeof AppliedAnswer> => ({
  ...planAnswer(applied),
  counts: applied.counts,
  jobs: applied.jobs,
})
