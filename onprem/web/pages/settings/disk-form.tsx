import { Button, Group, Stack, Title } from '@mantine/core'
import type { ShownSettings } from '../../api/settings-query.ts'
import { FormError } from '../../frame/form-error.tsx'
import { SettingField } from './setting-field.tsx'
import styles from './settings-page.module.css'
import { useSettingsDraft } from './use-settings-draft.ts'

const fields = ['storage.minFreeMb']

/** How much of the disk jobs and imports leave free. */
export function DiskForm({ settings }: { settings: ShownSettings }) {
  const draft = useSettingsDraft(settings, [])
  return (
    <Stack gap="md" className={styles.form}>
      <Title order={2}>Disk space</Title>
      <SettingField
        draft={draft}
        name="storage.minFreeMb"
        label="Space to keep free, in MB"
        description="With less on the disk of the data directory, jobs and imports wait; 0 is no limit"
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
