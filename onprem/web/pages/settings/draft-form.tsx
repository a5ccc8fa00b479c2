import { Button, Group, Stack, Title } from '@mantine/core'
import { FormError } from '../../../../shared/web/form-error.tsx'
import type { SettingName, ShownSettings } from '../../api/queries.ts'
import { ScheduleField } from './schedule-field.tsx'
import { SettingField } from './setting-field.tsx'
import styles from './settings-page.module.css'
import { useSettingsDraft } from './use-settings-draft.ts'

export type Field = { name: SettingName; label: string; description: string; placeholder?: string; isSchedule?: true }
type DraftFormProps = { title: string; fields: readonly Field[]; settings: ShownSettings; onSaved?: () => void }

/** Text fields for some settings, which are saved together. */
export function DraftForm({ title, fields, settings, onSaved }: DraftFormProps) {
  const draft = useSettingsDraft(settings, [], onSaved)
  return (
    <Stack gap="md" className={styles.form}>
      <Title order={2}>{title}</Title>
      {fields.map(({ isSchedule, ...field }) =>
        isSchedule ? (
          <ScheduleField key={field.name} draft={draft} name={field.name} label={field.label} />
        ) : (
          <SettingField key={field.name} draft={draft} {...field} />
        ),
      )}
      <FormError error={draft.save.error} fields={fields.map(({ name }) => name)} />
      <Group gap="sm">
        <Button disabled={!draft.isChanged} loading={draft.save.isPending} onClick={() => draft.save.mutate()}>
          Save
        </Button>
      </Group>
    </Stack>
  )
}
