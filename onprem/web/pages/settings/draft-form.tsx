import { Button, Group, Stack, Title } from '@mantine/core'
import type { SecretName } from '../../../../shared/settings/settings.ts'
import { FormError } from '../../../../shared/web/form-error.tsx'
import type { SettingName, ShownSettings } from '../../api/queries.ts'
import { ScheduleField } from './schedule-field.tsx'
import { SecretField } from './secret-field.tsx'
import { SettingField } from './setting-field.tsx'
import styles from './settings-page.module.css'
import { SwitchField } from './switch-field.tsx'
import { type SettingsDraft, useSettingsDraft } from './use-settings-draft.ts'

type Texts = { label: string; description: string }
export type Field =
  | (Texts & { name: SettingName; placeholder?: string; isSchedule?: true })
  | (Texts & { name: SecretName; isSecret: true })
  | (Texts & { name: SettingName; isSwitch: true })
type DraftFormProps = { title: string; fields: readonly Field[]; settings: ShownSettings; onSaved?: () => void }

/** Fields for some settings, which are saved together. */
export function DraftForm({ title, fields, settings, onSaved }: DraftFormProps) {
  const draft = useSettingsDraft(settings, [], onSaved)
  return (
    <Stack gap="md" className={styles.form}>
      <Title order={2}>{title}</Title>
      {fields.map((field) => (
        <DraftField key={field.name} draft={draft} field={field} />
      ))}
      <FormError error={draft.save.error} fields={fields.map(({ name }) => name)} />
      <Group gap="sm">
        <Button disabled={!draft.isChanged} loading={draft.save.isPending} onClick={() => draft.save.mutate()}>
          Save
        </Button>
      </Group>
    </Stack>
  )
}

function DraftField({ draft, field }: { draft: SettingsDraft; field: Field }) {
  if ('isSecret' in field) {
    const { isSecret, ...secret } = field
    return <SecretField draft={draft} {...secret} />
  }
  if ('isSwitch' in field) {
    const { isSwitch, ...texts } = field
    return <SwitchField draft={draft} {...texts} />
  }
  const { isSchedule, ...text } = field
  if (isSchedule) return <ScheduleField draft={draft} name={text.name} label={text.label} />
  return <SettingField draft={draft} {...text} />
}
