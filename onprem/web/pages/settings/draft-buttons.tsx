import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { CircleAlert, CircleCheck } from 'lucide-react'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { MessageText } from '../../../../shared/web/message-text.tsx'
import { placeOf } from '../../frame/setting-places.ts'
import type { SettingsDraft } from './use-settings-draft.ts'

const labelOf = (name: string): string => placeOf(name)?.label ?? name

type Tested = { ok: boolean; error?: string | undefined }
type DraftButtonsProps = {
  draft: SettingsDraft
  /** The fields of the form, whose errors are shown next to them. */
  fields: readonly string[]
  /** One line for each result of the test that belongs to this form. */
  results: (answer: NonNullable<SettingsDraft['test']['data']>) => (Tested & { text: string })[]
  /** The reason why there is nothing to test. */
  untested: string
  /** True if something else must be done first. */
  isBlocked?: boolean
  testLabel?: string
}

/** Saves and tests a form of settings, and shows the result. */
export function DraftButtons({
  draft,
  fields,
  results,
  untested,
  isBlocked = false,
  testLabel = 'Test connection',
}: DraftButtonsProps) {
  const { save, test, conflicts, isChanged } = draft
  const drops = draft.drops.map(labelOf)
  const dropped = (save.data ?? []).map(labelOf)
  return (
    <Stack gap="sm">
      {drops.length > 0 && (
        <Alert color="yellow" icon={<CircleAlert size={18} aria-hidden />}>
          The stored {drops.join(' and ')} {drops.length > 1 ? 'belong' : 'belongs'} to the old address. Saving deletes{' '}
          {drops.length > 1 ? 'them; enter those' : 'it; enter the one'} of the new address.
        </Alert>
      )}
      {dropped.length > 0 && (
        <Alert color="yellow" role="status" icon={<CircleAlert size={18} aria-hidden />}>
          Saved. The stored {dropped.join(' and ')} belonged to the old address and {dropped.length > 1 ? 'were' : 'was'} deleted.
        </Alert>
      )}
      {conflicts.length > 0 ? (
        <Alert color="yellow" role="alert" icon={<CircleAlert size={18} aria-hidden />}>
          <Group justify="space-between" gap="sm">
            <Text size="sm">
              <MessageText>{conflicts.join(', ')}</MessageText> changed since this page was loaded. Reload shows the stored value;
              your other changes stay.
            </Text>
            <Button variant="default" size="xs" onClick={draft.reload}>
              Reload
            </Button>
          </Group>
        </Alert>
      ) : (
        <>
          <FormError error={save.error} fields={fields} />
          <FormError error={test.error} fields={fields} />
        </>
      )}
      <Group gap="sm">
        <Button disabled={!isChanged || conflicts.length > 0 || isBlocked} loading={save.isPending} onClick={() => save.mutate()}>
          Save
        </Button>
        <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
          {testLabel}
        </Button>
      </Group>
      <div aria-live="polite">
        {test.data &&
          results(test.data).map(({ ok, text }) => (
            <Text key={text} size="sm" c={ok ? 'var(--good)' : 'var(--bad)'}>
              {ok ? <CircleCheck size={15} aria-hidden /> : <CircleAlert size={15} aria-hidden />}{' '}
              <MessageText>{text}</MessageText>
            </Text>
          ))}
        {test.data && results(test.data).length === 0 && (
          <Text size="sm" c="dimmed">
            Nothing to test: {untested}.
          </Text>
        )}
      </div>
    </Stack>
  )
}
