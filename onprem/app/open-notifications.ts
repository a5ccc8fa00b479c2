import { hostname } from 'node:os'
import type { DatabaseSync } from 'node:sqlite'
import type { Log } from '../../shared/log.ts'
import type { Network } from '../../shared/network/network.ts'
import type { PublicUrl } from '../../shared/schemas/public-url.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import type { Instruments } from '../monitoring/instruments.ts'
import type { Channels } from '../notifications/message.ts'
import { type Notifications, openNotifications as open } from '../notifications/notifications.ts'
import { notifier } from '../notifications/notifier.ts'
import { sendMail } from '../notifications/send-mail.ts'
import { sendSlack, sendWebhook } from '../notifications/send-webhook.ts'
import type { Damage } from '../store/data-dir/damage.ts'
import { sqliteNotifications } from '../store/notifications/notification-store.ts'
import type { EdgePorts } from './edge-ports.ts'

type Input = Pick<EdgePorts, 'notificationLimits' | 'now'> & {
  db: DatabaseSync
  settings: SettingsStore
  network: Network
  instruments: Pick<Instruments, 'notificationsAttempted'>
  damage: Pick<Damage, 'note'>
  publicUrl: PublicUrl | undefined
  log: Log
}

/** Opens the channels that report events. Nothing is sent until `start`. */
export function openNotifications({ notificationLimits: limits, ...input }: Input): Notifications {
  const { db, settings, network, instruments, damage, publicUrl, log, now } = input
  const channelsWith = (used: Pick<SettingsStore, 'get' | 'getSecret'>): Channels => {
    const ports = { settings: used, network, now, sendMs: limits.sendMs }
    return { webhook: sendWebhook(ports), slack: sendSlack(ports), email: sendMail(ports) }
  }
  const common = { store: sqliteNotifications(db), settings, limits, noteDamage: damage.note, log, now }
  const install = publicUrl?.url ?? hostname()
  const attempted = (channel: string, outcome: string) => instruments.notificationsAttempted.inc({ channel, outcome })
  const sender = notifier({ ...common, channels: channelsWith(settings), install, attempted })
  return open({ ...common, notifier: sender, channelsWith, install })
}
