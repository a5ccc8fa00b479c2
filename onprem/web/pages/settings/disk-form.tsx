import type { ShownSettings } from '../../api/settings-query.ts'
import { DraftForm, type Field } from './draft-form.tsx'

const fields: Field[] = [
  {
    name: 'storage.minFreeMb',
    label: 'Space to keep free, in MB',
    description: 'With less on the disk of the data directory, jobs and imports wait; 0 is no limit',
  },
]

/** The form for the disk space that jobs and imports leave free. */
export const DiskForm = ({ settings }: { settings: ShownSettings }) => (
  <DraftForm title="Disk space" fields={fields} settings={settings} />
)
