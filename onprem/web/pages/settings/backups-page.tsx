import { Alert, Button, Skeleton, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Archive, CircleAlert } from 'lucide-react'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { FactList } from '../../../../shared/web/fact-list.tsx'
import { MessageText } from '../../../../shared/web/message-text.tsx'
import { SettingsSection } from '../../../../shared/web/settings/settings-section.tsx'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import { api } from '../../api/api.ts'
import { type BackupList, backupsQuery, type ShownSettings, settingsQuery } from '../../api/queries.ts'
import { BackupTable } from './backup-table.tsx'
import { DraftForm, type Field } from './draft-form.tsx'

export function BackupsPage() {
  const queryClient = useQueryClient()
  const settings = useQuery(settingsQuery)
  const backups = useQuery(backupsQuery)
  const reload = () => queryClient.invalidateQueries({ queryKey: backupsQuery.queryKey })
  const start = useMutation({
    meta: { done: 'Backup started.' },
    mutationFn: () => answerOf(api.backup.$post()),
    onSettled: reload,
  })
  return (
    <SettingsSection
      title="Backups"
      about="A backup holds all libraries, settings, users and jobs, but no key files: stored tokens and API keys are in it only encrypted. Restore one with carrel restore while the server is stopped."
      action={
        <Button
          leftSection={<Archive size={16} aria-hidden />}
          loading={start.isPending || (backups.data?.running ?? null) !== null}
          disabled={backups.data === undefined}
          onClick={() => start.mutate()}
        >
          Back up now
        </Button>
      }
    >
      {start.error && (
        <Text size="sm" c="var(--bad)" role="alert">
          <MessageText>{start.error.message}</MessageText>
        </Text>
      )}
      {backups.isError ? (
        <ErrorState error={backups.error} what="The backups cannot be listed" retry={() => void backups.refetch()} />
      ) : backups.data ? (
        <Backups list={backups.data} reload={reload} />
      ) : (
        <Skeleton height={200} />
      )}
      {settings.isLoadingError ? (
        <ErrorState error={settings.error} what="The settings cannot be loaded" retry={() => void settings.refetch()} />
      ) : settings.data ? (
        <BackupForm settings={settings.data} onSaved={() => void reload()} />
      ) : (
        <Skeleton height={240} />
      )}
    </SettingsSection>
  )
}

function Backups({ list, reload }: { list: BackupList; reload: () => Promise<unknown> }) {
  const { backups, failed, folder, next, running } = list
  const [newest] = backups
  return (
    <Stack gap="lg">
      {failed && (
        <Alert color="red" role="alert" icon={<CircleAlert size={18} aria-hidden />} title="The last backup failed">
          <MessageText>{failed.message}</MessageText>
        </Alert>
      )}
      <FactList
        facts={[
          ['Last', running ? 'Running' : newest ? <TimeAgo key="last" time={newest.createdAt} /> : 'never'],
          ['Next', next === null ? 'only by hand' : <TimeAgo key="next" time={next} />],
          ['Folder', <code key="folder">{folder}</code>],
        ]}
      />
      <BackupTable backups={backups} running={running} reload={reload} />
    </Stack>
  )
}

const fields: Field[] = [
  {
    name: 'backup.schedule',
    label: 'Schedule',
    description: '',
    isSchedule: true,
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
const BackupForm = ({ settings, onSaved }: { settings: ShownSettings; onSaved: () => void }) => (
  <DraftForm title="Schedule and folder" fields={fields} settings={settings} onSaved={onSaved} />
)
