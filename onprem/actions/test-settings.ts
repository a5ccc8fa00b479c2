import { z } from 'zod'
import type { AiRuntime } from '../../shared/ai/ai-runtime.ts'
import { type ModelTests, tryModels } from '../../shared/ai/try-models.ts'
import { AppError } from '../../shared/errors.ts'
import type { Limits } from '../../shared/indexing/limits.ts'
import type { GitAccess } from '../../shared/reading/git/git-access.ts'
import type { Platform } from '../../shared/reading/git/git-hosts.ts'
import { tokenOwner } from '../../shared/reading/git/token-owner.ts'
import { type NotificationChannel, notificationChannels } from '../../shared/settings/notification-names.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import type { ChannelTest, Notifications } from '../notifications/notifications.ts'

const testedServices = ['llm', 'rerank', 'embedding', 'github', 'gitlab', ...notificationChannels] as const
export const TestedService = z.enum(testedServices)
type TestedService = z.infer<typeof TestedService>

type TokenTest = { ok: boolean; login: string | null; error?: string }
type SettingsTests = ModelTests & { github?: TokenTest; gitlab?: TokenTest } & Partial<Record<NotificationChannel, ChannelTest>>

export type TestSettingsPorts = {
  settings: Pick<SettingsStore, 'withChanges'>
  aiRuntime: AiRuntime
  gitAccess: Omit<GitAccess, 'token'>
  limits: Pick<Limits, 'probeMs'>
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
  const token = (platform: Platform) =>
    only === platform || (only === undefined && settings.getSecret(`${platform}.token`) !== undefined)
      ? testToken(ports, settings, platform, signal)
      : undefined
  const models = only === 'github' || only === 'gitlab' ? {} : tryModels(settings, ports.aiRuntime, signal, only)
  const [tests, github, gitlab] = await Promise.all([models, token('github'), token('gitlab')])
  return { ...tests, ...(github && { github }), ...(gitlab && { gitlab }) }
}

const isChannel = (service: TestedService | undefined): service is NotificationChannel =>
  notificationChannels.some((channel) => channel === service)

/** Tests that the API of a git host can be reached, and its token if one is set. */
async function testToken(
  { gitAccess, limits }: TestSettingsPorts,
  settings: Pick<SettingsStore, 'get' | 'getSecret'>,
  platform: Platform,
  signal: AbortSignal,
): Promise<TokenTest> {
  try {
    const token = settings.getSecret(`${platform}.token`)
    const host = { platform, baseUrl: settings.get(`${platform}.baseUrl`) }
    return { ok: true, login: await tokenOwner(host, token, { ...gitAccess, timeMs: limits.probeMs, signal }) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { ok: false, login: null, error: error.message }
  }
}
