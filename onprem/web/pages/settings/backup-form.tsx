import { Button, Group, Stack, Title } from '@mantine/core'
import type { ShownSettings } from '../../api/settings-query.ts'
import { FormError } from '../../frame/form-error.tsx'
import { SettingField } from './setting-field.tsx'
import styles from './settings-page.module.css'
import { useSettingsDraft } from './use-settings-draft.ts'

const fields = ['backup.schedule', 'backup.keep', 'backup.folder']

/** When backups are made, how many are kept, and where. */
export function BackupForm({ settings, onSaved }: { settings: ShownSettings; onSaved: () => void }) {
  const draft = useSettingsDraft(settings, [], onSaved)
  return (
    <Stack gap="md" className={styles.form}>
      <Title order={2}>Schedule and folder</Title>
      <SettingField
        draft={draft}
        name="backup.schedule"
        label="Schedule"
        description="daily, 6-hourly, weekly, or five fields of cron, in UTC; empty for none"
        placeholder="daily"
      />
      <SettingField
        draft={draft}
        name="backup.keep"
        label="Number to keep"
        description="Older backups are deleted; 0 keeps all"
      />
      <SettingField
        draft={draft}
        name="backup.folder"
        label="Folder"
        description="On the machine of the server, best on another disk; empty for the folder backups in the data directory"
        placeholder="/mnt/backups"
      />
      <FormError error={draft.save.error} fields={fields} />
      <Group gap="sm">
        <Button disabled={!draft.isChanged} loading={draft.save.isPending} onClick={() => draft.save.mutate()}>
          Save
        </Button>
      </Group>
    </Stack>
  )
}
