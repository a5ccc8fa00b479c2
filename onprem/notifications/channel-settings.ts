import {
  type NotificationChannel,
  type NotificationEvent,
  notificationChannels,
} from '../../shared/settings/notification-names.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'

type Settings = Pick<SettingsStore, 'get' | 'getSecret'>

/** The host that a channel sends to. Undefined if the channel is off. Throws data_damaged. */
export function targetOf(settings: Settings, channel: NotificationChannel): string | undefined {
  switch (channel) {
    case 'webhook':
      return hostOf(settings.getSecret('notifications.webhookUrl'))
    case 'slack':
      return hostOf(settings.getSecret('notifications.slackUrl'))
    case 'email':
      return settings.get('notifications.emailTo').length > 0 ? settings.get('notifications.smtpHost') : undefined
  }
}

const hostOf = (url: string | undefined): string | undefined => (url === undefined ? undefined : new URL(url).host)

export const eventsOf = ({ get }: Pick<SettingsStore, 'get'>, channel: NotificationChannel): readonly NotificationEvent[] =>
  get(`notifications.${channel}Events`)

/** The channels that report a kind of event. */
export const channelsFor = (settings: Settings, kind: NotificationEvent): NotificationChannel[] =>
  notificationChannels.filter((channel) => eventsOf(settings, channel).includes(kind) && isOn(settings, channel))

/** A channel whose address cannot be decrypted is on, so that its events wait until it can. */
export function isOn(settings: Settings, channel: NotificationChannel): boolean {
  try {
    return targetOf(settings, channel) !== undefined
  } catch {
    return true
  }
}
