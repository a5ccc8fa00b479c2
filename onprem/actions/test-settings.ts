import { z } from 'zod'
import type { AiRuntime } from '../../shared/ai/ai-runtime.ts'
import { type ModelTests, tryModels } from '../../shared/ai/try-models.ts'
import { AppError } from '../../shared/errors.ts'
import type { Limits } from '../../shared/indexing/limits.ts'
import type { HostRules } from '../../shared/network/allowed-hosts.ts'
import type { GitAccess } from '../../shared/reading/git/git-access.ts'
import type { FieldHost } from '../../shared/reading/git/git-hosts.ts'
import { githubAppName } from '../../shared/reading/git/github-app.ts'
import { hostResponds } from '../../shared/reading/git/host-responds.ts'
import { appOf } from '../../shared/reading/git/host-token.ts'
import { hasTokenOwner, tokenOwner } from '../../shared/reading/git/token-owner.ts'
import { type GitHost, tokenSetting } from '../../shared/schemas/git-host.ts'
import { type NotificationChannel, notificationChannels } from '../../shared/settings/notification-names.ts'
import { confluenceOwner } from '../../shared/sources/confluence/token-owner.ts'
import { confluenceCredentials } from '../../shared/store/confluence-credentials.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import type { ChannelTest, Notifications } from '../notifications/notifications.ts'

const testedServices = [
  'llm',
  'rerank',
  'embedding',
  'github',
  'gitlab',
  'git.hosts',
  'confluence',
  ...notificationChannels,
] as const
export const TestedService = z.enum(testedServices)
type TestedService = z.infer<typeof TestedService>

type TokenTest = { ok: boolean; login: string | null; error?: string }
type SettingsTests = ModelTests & {
  github?: TokenTest
  gitlab?: TokenTest
  confluence?: TokenTest
  'git.hosts'?: Record<string, TokenTest>
} & Partial<Record<NotificationChannel, ChannelTest>>

export type TestSettingsPorts = {
  settings: Pick<SettingsStore, 'withChanges'>
  aiRuntime: AiRuntime
  gitAccess: Omit<GitAccess, 'token'>
  sourceHosts: HostRules
  limits: Pick<Limits, 'probeMs'>
  now(): Date
  notifications: Pick<Notifications, 'test'>
}

/** Tests the models and git hosts that the settings configure, or only one service. A channel of notifications is tested only if it is named. Stores nothing. Throws validation_error. */
export async function testSettings(
  ports: TestSettingsPorts,
  changes: Record<string, unknown>,
  signal: AbortSignal,
  only?: TestedService,
): Promise<SettingsTests> {
  if (isChannel(only)) return { [only]: await ports.notifications.test(only, changes, signal) }
  const settings = ports.settings.withChanges(changes)
  const test = (host: GitHost) => testHost(ports, settings, host, signal)
  const token = (name: FieldHost) =>
    only === name || (only === undefined && settings.getSecret(`${name}.token`) !== undefined)
      ? test({
          name,
          kind: name,
          baseUrl: settings.get(`${name}.baseUrl`),
          ...(name === 'github' && { appId: settings.get('github.appId') }),
        })
      : undefined
  const listed = only === undefined || only === 'git.hosts' ? settings.get('git.hosts') : []
  const isModel = only !== 'github' && only !== 'gitlab' && only !== 'git.hosts' && only !== 'confluence'
  const site = only === undefined || only === 'confluence' ? settings.get('confluence.baseUrl') : undefined
  const models = isModel ? tryModels(settings, ports.aiRuntime, signal, only) : {}
  const hosts = Promise.all(listed.map(async (host) => [host.name, await test(host)] as const))
  const [tests, github, gitlab, others, confluence] = await Promise.all([
    models,
    token('github'),
    token('gitlab'),
    hosts,
    site === undefined ? undefined : testSite(ports, settings, site, signal),
  ])
  return {
    ...tests,
    ...(github && { github }),
    ...(gitlab && { gitlab }),
    ...(confluence && { confluence }),
    ...(others.length > 0 && { 'git.hosts': Object.fromEntries(others) }),
  }
}

const isChannel = (service: TestedService | undefined): service is NotificationChannel =>
  notificationChannels.some((channel) => channel === service)

/** Tests that a Confluence site can be reached, and its token. */
async function testSite(
  { gitAccess, limits, sourceHosts }: TestSettingsPorts,
  settings: Pick<SettingsStore, 'get' | 'getSecret'>,
  site: string,
  signal: AbortSignal,
): Promise<TokenTest> {
  try {
    const access = { ...gitAccess, ...sourceHosts, allowedHosts: () => settings.get('sources.allowedHosts') }
    const options = { timeMs: limits.probeMs, signal }
    return { ok: true, login: await confluenceOwner(access, site, confluenceCredentials(settings, site), options) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { ok: false, login: null, error: error.message }
  }
}

/** Tests that a git host can be reached and, if its API tells whose token one is, its token. */
async function testHost(
  { gitAccess, limits, now }: TestSettingsPorts,
  settings: Pick<SettingsStore, 'get' | 'getSecret'>,
  host: GitHost,
  signal: AbortSignal,
): Promise<TokenTest> {
  try {
    const token = settings.getSecret(tokenSetting(host.name))
    const options = { ...gitAccess, timeMs: limits.probeMs, signal }
    const app = appOf(settings, host)
    if (app) return { ok: true, login: await githubAppName(host, app, options, now) }
    return {
      ok: true,
      login: hasTokenOwner(host)
        ? await tokenOwner(host, token, options)
        : await hostResponds(host, { ...options, ...(token !== undefined && { token }) }),
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { ok: false, login: null, error: error.message }
  }
}
