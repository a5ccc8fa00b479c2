import { Alert, Checkbox, Stack, Text, Title } from '@mantine/core'
import { CircleAlert } from 'lucide-react'
import { type NotificationChannel, notificationEvents } from '../../../../shared/settings/notification-names.ts'
import type { SecretName } from '../../../../shared/settings/settings.ts'
import { MessageText } from '../../../../shared/web/message-text.tsx'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import { type ChannelState, channelsQuery, type SettingName, type ShownSettings } from '../../api/queries.ts'
import { queryClient } from '../../api/query-client.ts'
import { DraftButtons } from './draft-buttons.tsx'
import { SecretField } from './secret-field.tsx'
import { SettingField } from './setting-field.tsx'
import styles from './settings-page.module.css'
import { useLinkedField } from './use-linked-field.ts'
import { type SettingsDraft, useSettingsDraft } from './use-settings-draft.ts'

type SecretText = { kind: 'secret'; name: SecretName; label: string; description?: string }
type ChannelField =
  | SecretText
  | {
      kind: 'text'
      name: SettingName
      label: string
      description?: string
      placeholder?: string
      options?: readonly { value: string; label: string }[]
    }
export type ChannelText = {
  channel: NotificationChannel
  title: string
  fields: readonly ChannelField[]
  events: { name: SettingName; label: string }
}
type ChannelFormProps = { text: ChannelText; settings: ShownSettings; state: ChannelState | undefined }

/** The settings of one channel, what is wrong with it, and a button that sends a test message. */
export function ChannelForm({ text, settings, state }: ChannelFormProps) {
  const { channel, title, fields, events } = text
  const reload = () => void queryClient.invalidateQueries({ queryKey: channelsQuery.queryKey })
  const draft = useSettingsDraft(settings, [channel], reload)
  return (
    <Stack gap="md" className={styles.form} component="section" aria-label={title}>
      <Title order={2}>{title}</Title>
      {state && <ChannelStatus state={state} />}
      {fields.map((field) => (
        <ChannelInput key={field.name} draft={draft} field={field} />
      ))}
      <EventChoice draft={draft} {...events} />
      <DraftButtons
        draft={draft}
        fields={[...fields.map(({ name }) => name), events.name]}
        untested="this channel is off"
        testLabel="Send test message"
        results={(tests) => {
          const tested = tests[channel]
          if (!tested) return []
          return [{ ok: tested.ok, text: tested.ok ? 'The test message was accepted.' : (tested.error ?? 'The test failed.') }]
        }}
      />
    </Stack>
  )
}

function ChannelInput({ draft, field }: { draft: SettingsDraft; field: ChannelField }) {
  const { kind, ...texts } = field
  if (kind === 'secret') return <SecretField draft={draft} {...(texts as Omit<SecretText, 'kind'>)} />
  return <SettingField draft={draft} {...texts} />
}

function ChannelStatus({ state: { state, host, lastSentAt, waiting, failing } }: { state: ChannelState }) {
  if (failing)
    return (
      <Alert color="red" role="alert" icon={<CircleAlert size={18} aria-hidden />} title="Messages do not arrive">
        <MessageText>{failing.message}</MessageText> It fails since <TimeAgo time={failing.since} />; {waiting}{' '}
        {waiting === 1 ? 'event waits' : 'events wait'}.
      </Alert>
    )
  return (
    <Text size="sm" c="dimmed">
      {state === 'off' ? (
        'Off: it has no address.'
      ) : (
        <>
          On, to {host}. {lastSentAt === null ? 'Nothing was sent yet.' : 'Last message '}
          {lastSentAt !== null && <TimeAgo time={lastSentAt} />}
        </>
      )}
    </Text>
  )
}

const eventLabels: Record<(typeof notificationEvents)[number], string> = {
  'job-failed': 'A job fails',
  'library-stale': 'A library becomes stale',
  'backup-failed': 'A backup fails',
  'disk-low': 'The disk is almost full',
  'license-ends': 'The license ends',
}

/** At least one event stays chosen: a channel without its address is off. */
function EventChoice({ draft, name, label }: { draft: SettingsDraft; name: SettingName; label: string }) {
  useLinkedField(name)
  const chosen = draft.value(name).split(', ')
  const change = (values: string[]) => draft.set(name, notificationEvents.filter((each) => values.includes(each)).join(', '))
  return (
    <Checkbox.Group id={name} label={label} value={chosen} error={draft.error(name)} onChange={change}>
      <Stack gap={8} mt={8}>
        {notificationEvents.map((event) => (
          <Checkbox
            key={event}
            value={event}
            label={eventLabels[event]}
            disabled={chosen.length === 1 && chosen.includes(event)}
          />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}
