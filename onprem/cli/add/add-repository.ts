import type { InferRequestType, InferResponseType } from 'hono/client'
import { readOption } from '../../../shared/cli/read-option.ts'
import { AppError } from '../../../shared/errors.ts'
import { readSchedule, ScheduleText } from '../../../shared/freshness/refresh-schedule.ts'
import { TagRule } from '../../../shared/freshness/tag-rule.ts'
import { defaultGitHosts, type FieldHost, type GitHosts } from '../../../shared/reading/git/git-hosts.ts'
import { parseRepoUrl } from '../../../shared/reading/git/repo-address.ts'
import { tokenSetting } from '../../../shared/schemas/git-host.ts'
import { hasGitSecret } from '../../../shared/settings/git-secrets.ts'
import { commandName } from '../../../shared/system/command-name.ts'
import { choosePrivate } from '../api/choose-private.ts'
import { call } from '../api/connection.ts'
import { shownCommand } from '../api/show-commands.ts'
import type { CommandPorts } from '../api/with-connection.ts'
import type { AddOptions } from './add-options.ts'

/** A repository, and the folders of its documentation if it is a known library. */
export type Repository = { repoUrl: string; folders?: string[]; title?: string | null; version?: string | null }

export type ShownSettings = InferResponseType<CommandPorts['api']['settings']['$get'], 200>
type ParseRequest = InferRequestType<CommandPorts['api']['parse']['$post']>['json']
type PreviewRequest = InferRequestType<CommandPorts['api']['parse']['preview']['$post']>['json']

/** The request that adds a repository, after an admin has chosen who reads private ones. Throws a usage error, forbidden. */
export async function repositoryRequest(
  ports: CommandPorts,
  settings: ShownSettings,
  repository: Repository,
  options: AddOptions,
): Promise<ParseRequest> {
  const request = requestOf(repository, options)
  if (options.private) requireToken(settings, request.repoUrl)
  const { versions: _, force: __, ...previewed } = request
  // A known library is public.
  if (!repository.title) await chooseIfPrivate(ports, settings, previewed)
  return request
}

export function hostsIn(settings: ShownSettings): GitHosts {
  const baseUrl = (host: FieldHost) => ({ baseUrl: settings[`${host}.baseUrl`] ?? defaultGitHosts[host].baseUrl })
  return { github: baseUrl('github'), gitlab: baseUrl('gitlab'), others: settings['git.hosts'] ?? [] }
}

const requestOf = (
  { repoUrl, folders = [], version: named }: Repository,
  { branch, version, folder, language, apiReference, schedule, tags, keep = '1', withVersions, force = false }: AddOptions,
) => ({
  repoUrl,
  branch,
  versions: version,
  optionalVersions: withVersions && named ? [named] : undefined,
  folders: folder ?? (folders.length > 0 ? folders : undefined),
  languages: language,
  apiReference,
  schedule: schedule === undefined ? undefined : readSchedule(readOption('--schedule', ScheduleText, schedule)),
  tagRule: tags === undefined ? undefined : readOption('--tags or --keep', TagRule, { tags, keep: Number(keep) }),
  force,
})

/** The server would clone the repository without a token, and fail later. */
function requireToken(settings: ShownSettings, repoUrl: string): void {
  const { host, ...address } = parseRepoUrl(repoUrl, hostsIn(settings))
  const name = tokenSetting(host.name)
  if (settings[name]) return
  const store = shownCommand(`settings set ${name} -`)
  throw new AppError(
    'forbidden',
    `No token for ${address.baseUrl} is stored, so private repositories cannot be read. Store one: ${store}`,
  )
}

/**
 * An admin who adds a private repository chooses who can read it, unless that was chosen before. Only a stored token can read
 * one.
 */
async function chooseIfPrivate({ api, progress }: CommandPorts, settings: ShownSettings, json: PreviewRequest): Promise<void> {
  if (settings['permissions.privateChosen'] || !hasGitSecret(settings)) return
  // A preview that fails here also fails in the parse, or is only too large for a preview.
  const preview = await call(api.parse.preview.$post({ json })).catch(() => undefined)
  if (!preview || !(await preview.json()).private) return
  progress.clear()
  await call(api.settings.$patch({ json: await choosePrivate('This repository is private.', commandName()) }))
}
