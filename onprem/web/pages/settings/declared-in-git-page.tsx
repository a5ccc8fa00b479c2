import { Alert, Anchor, Button, Group, List, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleAlert, RefreshCw } from 'lucide-react'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { FactList } from '../../../../shared/web/fact-list.tsx'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { MessageText } from '../../../../shared/web/message-text.tsx'
import { SettingsSection } from '../../../../shared/web/settings/settings-section.tsx'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import { api } from '../../api/api.ts'
import { type GitopsStatus, gitopsQuery, type ShownSettings, settingsQuery } from '../../api/queries.ts'
import { SettingField } from './setting-field.tsx'
import styles from './settings-page.module.css'
import { useSettingsDraft } from './use-settings-draft.ts'

/** The repository whose carrel.yaml this install follows. */
export function DeclaredInGitPage() {
  const queryClient = useQueryClient()
  const status = useQuery(gitopsQuery)
  const settings = useQuery(settingsQuery)
  const reload = () => queryClient.invalidateQueries({ queryKey: gitopsQuery.queryKey })
  const sync = useMutation({
    meta: { done: 'The file of the repository is applied.' },
    mutationFn: () => answerOf(api.gitops.reconcile.$post({ query: { force: 'true' } })),
    onSettled: reload,
  })
  return (
    <SettingsSection
      title="Declared in git"
      about="This install adds and changes libraries and settings as a file in a repository declares them. Whoever can push there cannot set permissions, hosts or addresses that secrets are sent to."
      action={
        <Button
          leftSection={<RefreshCw size={16} aria-hidden />}
          loading={sync.isPending || status.data?.running === true}
          disabled={(status.data?.repository ?? null) === null}
          onClick={() => sync.mutate()}
        >
          Sync now
        </Button>
      }
    >
      {sync.error && (
        <Text size="sm" c="var(--bad)" role="alert">
          <MessageText>{sync.error.message}</MessageText>
        </Text>
      )}
      {status.isLoadingError ? (
        <ErrorState error={status.error} what="The state cannot be loaded" retry={() => void status.refetch()} />
      ) : status.data ? (
        status.data.repository !== null && <State status={status.data} />
      ) : (
        <Skeleton height={160} />
      )}
      {settings.isLoadingError ? (
        <ErrorState error={settings.error} what="The settings cannot be loaded" retry={() => void settings.refetch()} />
      ) : settings.data ? (
        <RepositoryForm settings={settings.data} onSaved={() => void reload()} />
      ) : (
        <Skeleton height={320} />
      )}
    </SettingsSection>
  )
}

function State({ status }: { status: GitopsStatus }) {
  const { failed, drift, skipped, commit, fileUrl, checkedAt, appliedAt, next, libraries, settings } = status
  const time = (value: string | null, none: string) => (value === null ? none : <TimeAgo time={value} />)
  const page = commit && fileUrl ? <Anchor href={fileUrl}>{commit.slice(0, 12)}</Anchor> : 'none yet'
  return (
    <Stack gap="md">
      {failed && (
        <Alert color="red" role="alert" icon={<CircleAlert size={18} aria-hidden />} title="The last check failed">
          <MessageText>{failed.message}</MessageText>
        </Alert>
      )}
      <FactList
        facts={[
          ['Last commit', page],
          ['Applied', time(appliedAt, 'never')],
          ['Checked', time(checkedAt, 'never')],
          ['Next check', time(next, 'only by hand')],
          ['Declares', `${libraries} libraries, ${settings} settings`],
        ]}
      />
      <Differences title="Differs from the file" entries={drift.map(({ name, message }) => `${name}: ${message}`)} />
      <Differences title="Skipped, and tried again" entries={skipped.map(({ library, reason }) => `${library}: ${reason}`)} />
    </Stack>
  )
}

function Differences({ title, entries }: { title: string; entries: string[] }) {
  if (entries.length === 0) return null
  return (
    <Stack gap="xs">
      <Title order={2}>{title}</Title>
      <List size="sm">
        {entries.map((entry) => (
          <List.Item key={entry}>{entry}</List.Item>
        ))}
      </List>
    </Stack>
  )
}

const fields = ['gitops.repository', 'gitops.branch', 'gitops.path', 'gitops.schedule', 'gitops.prune'] as const
const schedules = [
  { value: '*/15 * * * *', label: 'Every 15 minutes' },
  { value: '6-hourly', label: 'Every 6 hours' },
  { value: 'daily', label: 'Daily, at 3:00 UTC' },
  { value: 'weekly', label: 'Weekly, on Sunday at 3:00 UTC' },
  { value: 'manual', label: 'Manual only' },
]
const prunes = [
  { value: 'false', label: 'Keep them' },
  { value: 'true', label: 'Delete them' },
]

function RepositoryForm({ settings, onSaved }: { settings: ShownSettings; onSaved: () => void }) {
  const draft = useSettingsDraft(settings, [], onSaved)
  const schedule = draft.value('gitops.schedule')
  const others = schedules.some(({ value }) => value === schedule) ? [] : [{ value: schedule, label: schedule }]
  return (
    <Stack gap="md" className={styles.form}>
      <Title order={2}>Repository</Title>
      <SettingField
        draft={draft}
        name="gitops.repository"
        label="Repository"
        description="Its address on one of the git hosts; empty follows none"
        placeholder="https://github.com/example/documentation"
      />
      <SettingField draft={draft} name="gitops.branch" label="Branch" description="Empty for the default branch" />
      <SettingField
        draft={draft}
        name="gitops.path"
        label="File"
        description="Empty for carrel.yaml or repos.yaml in the root"
        placeholder="carrel.yaml"
      />
      <SettingField draft={draft} name="gitops.schedule" label="Check for changes" options={[...schedules, ...others]} />
      <SettingField draft={draft} name="gitops.prune" label="Libraries that the file no longer names" options={prunes} />
      <FormError error={draft.save.error} fields={[...fields]} />
      <Group gap="sm">
        <Button disabled={!draft.isChanged} loading={draft.save.isPending} onClick={() => draft.save.mutate()}>
          Save
        </Button>
      </Group>
    </Stack>
  )
}
