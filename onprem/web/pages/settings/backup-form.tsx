import type { ShownSettings } from '../../api/settings-query.ts'
import { DraftForm, type Field } from './draft-form.tsx'

const fields: Field[] = [
  {
    name: 'backup.schedule',
    label: 'Schedule',
    description: 'daily, 6-hourly, weekly, or five fields of cron, in UTC; empty for none',
    placeholder: 'daily',
  },
  { name: 'backup.keep', label: 'Number to keep', description: 'Older backups are deleted; 0 keeps all' },
  {
    name: 'backup.folder',
    label: 'Folder',
    description: 'On the machine of the server, best on another disk; empty for the folder backups in the data directory',
    placeholder: '/mnt/backups',
  },
]

/** The form for the time, number and folder of backups. */
export const BackupForm = ({ settings, onSaved }: { settings: ShownSettings; onSaved: () => void }) => (
  <DraftForm title="Schedule and folder" fields={fields} settings={settings} onSaved={onSaved} />
)
