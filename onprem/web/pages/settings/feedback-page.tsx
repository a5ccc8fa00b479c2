import { Skeleton, Stack, Switch, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { Conflict } from '../../../../shared/web/api/change-state.ts'
import { ConfirmDialog } from '../../../../shared/web/confirm-dialog.tsx'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { MessageText } from '../../../../shared/web/message-text.tsx'
import { SettingsSection } from '../../../../shared/web/settings/settings-section.tsx'
import { changeSettings } from '../../api/change-settings.ts'
import { type ShownSettings, settingsQuery } from '../../api/queries.ts'
import { DraftForm, type Field } from './draft-form.tsx'
import { FeedbackList } from './feedback-list.tsx'

/** Whether feedback is kept, for how long, and what was kept. */
export function FeedbackPage() {
  const settings = useQuery(settingsQuery)
  return (
    <SettingsSection
      title="Feedback"
      about="Questions that no documentation answered, and how people and agents rate answers. Use it to find what your documentation lacks."
    >
      {settings.isLoadingError ? (
        <ErrorState error={settings.error} what="The settings cannot be loaded" retry={() => void settings.refetch()} />
      ) : settings.data ? (
        <Stack gap="xl">
          <FeedbackSwitch settings={settings.data} />
          {settings.data['feedback.enabled'] === true && (
            <>
              <DraftForm title="Retention" fields={fields} settings={settings.data} />
              <FeedbackList />
            </>
          )}
        </Stack>
      ) : (
        <Skeleton height={84} />
      )}
    </SettingsSection>
  )
}

const fields: readonly Field[] = [
  { name: 'feedback.retentionDays', label: 'Days', description: 'Older feedback is deleted. 1 to 365' },
]

/** Both directions are confirmed: one keeps text of questions, the other deletes it. */
function FeedbackSwitch({ settings }: { settings: ShownSettings }) {
  const isOn = settings['feedback.enabled'] === true
  const [asks, setAsks] = useState(false)
  const id = useId()
  const change = useMutation({
    meta: { done: 'Settings saved.' },
    mutationFn: () => changeSettings(settings, { 'feedback.enabled': !isOn }),
  })
  return (
    <div>
      <Switch
        id={id}
        label="Keep feedback"
        checked={isOn}
        disabled={change.isPending}
        aria-describedby={`${id}-effect`}
        onChange={() => setAsks(true)}
      />
      <Text id={`${id}-effect`} size="sm" c="dimmed" ml={50}>
        While this is off, no question is stored as text, and answers cannot be rated.
      </Text>
      {change.error && (
        <Text size="sm" c="var(--bad)" role="alert" ml={50}>
          <MessageText>
            {change.error instanceof Conflict ? 'Another admin changed this. Nothing was changed now.' : change.error.message}
          </MessageText>
        </Text>
      )}
      <ConfirmDialog
        opened={asks}
        close={() => setAsks(false)}
        question={isOn ? 'Delete all feedback and keep none?' : 'Keep feedback?'}
        consequence={
          isOn
            ? 'Every stored question and rating is deleted at once and cannot be brought back.'
            : 'Questions that had no answer are stored as text and shown to admins. They can contain what people work on.'
        }
        verb={isOn ? 'Delete feedback' : 'Keep feedback'}
        isDestructive={isOn}
        done={undefined}
        onConfirm={() => change.mutateAsync()}
      />
    </div>
  )
}
