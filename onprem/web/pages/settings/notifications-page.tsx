import { Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { SettingsSection } from '../../../../shared/web/settings/settings-section.tsx'
import { channelsQuery, settingsQuery } from '../../api/queries.ts'
import { ChannelForm, type ChannelText } from './channel-form.tsx'

/** Where this install reports what an operator should know. */
export function NotificationsPage() {
  const settings = useQuery(settingsQuery)
  const states = useQuery(channelsQuery)
  return (
    <SettingsSection
      title="Notifications"
      about="Failed jobs and backups, stale libraries, a full disk and a license that ends are reported by webhook, in a chat or by e-mail. Messages hold no questions and no secrets."
    >
      {settings.isLoadingError ? (
        <ErrorState error={settings.error} what="The settings cannot be loaded" retry={() => void settings.refetch()} />
      ) : states.isLoadingError ? (
        <ErrorState error={states.error} what="The channels cannot be loaded" retry={() => void states.refetch()} />
      ) : settings.data && states.data ? (
        <Stack gap={40}>
          {channels.map((text) => (
            <ChannelForm
              key={text.channel}
              text={text}
              settings={settings.data}
              state={states.data.find(({ channel }) => channel === text.channel)}
            />
          ))}
        </Stack>
      ) : (
        <Skeleton height={480} />
      )}
    </SettingsSection>
  )
}

const encryptions = [
  { value: 'starttls', label: 'STARTTLS' },
  { value: 'tls', label: 'TLS from the begin' },
  { value: 'none', label: 'None' },
]

const channels: readonly ChannelText[] = [
  {
    channel: 'webhook',
    title: 'Webhook',
    events: { name: 'notifications.webhookEvents', label: 'Events of the webhook' },
    fields: [
      {
        kind: 'secret',
        name: 'notifications.webhookUrl',
        label: 'Webhook address',
        description: 'Receives events as JSON. It may hold a token, so it is not shown again',
      },
      {
        kind: 'secret',
        name: 'notifications.webhookKey',
        label: 'Signing key',
        description: 'Any text that the receiver knows, too; it signs each message in the header X-Carrel-Signature',
      },
    ],
  },
  {
    channel: 'slack',
    title: 'Chat',
    events: { name: 'notifications.slackEvents', label: 'Events of the chat' },
    fields: [
      {
        kind: 'secret',
        name: 'notifications.slackUrl',
        label: 'Chat address',
        description: 'Incoming webhook of Slack, Mattermost, or another chat that reads {"text": "…"}',
      },
    ],
  },
  {
    channel: 'email',
    title: 'E-mail',
    events: { name: 'notifications.emailEvents', label: 'Events by e-mail' },
    fields: [
      { kind: 'text', name: 'notifications.emailTo', label: 'Receivers', description: 'Addresses, separated by commas' },
      { kind: 'text', name: 'notifications.emailFrom', label: 'Sender', description: 'Empty for the first receiver' },
      { kind: 'text', name: 'notifications.smtpHost', label: 'Mail server', placeholder: 'smtp.example.com' },
      { kind: 'text', name: 'notifications.smtpPort', label: 'Port' },
      { kind: 'text', name: 'notifications.smtpSecurity', label: 'Encryption', options: encryptions },
      { kind: 'secret', name: 'notifications.smtpUser', label: 'User of the mail server' },
      { kind: 'secret', name: 'notifications.smtpPassword', label: 'Password of the mail server' },
    ],
  },
]
