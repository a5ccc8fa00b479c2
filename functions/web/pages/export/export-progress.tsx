import { Alert, Button, Group, Progress, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleAlert } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { countOf, formatBytes } from '../../../../shared/web/format.ts'
import { downloadFile } from './download-file.ts'
import styles from './export.module.css'
import { exportQuery, exportsQuery, selectionsKey, type TeamExport } from './export-queries.ts'
import type { RunningExport } from './use-exports.ts'

type RunningExportsProps = { team: string; running: readonly RunningExport[] }

/** Exports from their start to their download. */
export const RunningExports = ({ team, running }: RunningExportsProps) =>
  running.map(({ id, isOwn }) => <ExportProgress key={id} team={team} id={id} isOwn={isOwn} />)

function ExportProgress({ team, id, isOwn }: { team: string; id: string; isOwn: boolean }) {
  const queryClient = useQueryClient()
  const { data, error, refetch } = useQuery(exportQuery(team, id))
  const hasEnded = useRef(false)
  useEffect(() => {
    if (data === undefined || data.state === 'building' || hasEnded.current) return
    hasEnded.current = true
    if (data.state === 'built' && isOwn) downloadFile(data.url)
    void queryClient.invalidateQueries({ queryKey: exportsQuery(team).queryKey })
    void queryClient.invalidateQueries({ queryKey: selectionsKey(team) })
  }, [data, isOwn, team, queryClient])
  return (
    <div className={styles.progress} aria-live="polite">
      {error ? (
        <ErrorState error={error} what="The progress cannot be read" retry={() => void refetch()} />
      ) : (
        <State export={data} />
      )}
    </div>
  )
}

function State({ export: data }: { export: TeamExport | undefined }) {
  if (data?.state === 'failed')
    return (
      <Alert color="red" role="alert" icon={<CircleAlert size={18} aria-hidden />} title="The zip was not built">
        {data.message}
      </Alert>
    )
  if (data?.state === 'built')
    return (
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          service-libraries.zip is built{data.bytes !== undefined && `: ${formatBytes(data.bytes)}`}, with{' '}
          {countOf(data.libraries.length, 'library', 'libraries')}.
        </Text>
        <Button size="xs" variant="default" onClick={() => downloadFile(data.url)}>
          Download
        </Button>
      </Group>
    )
  const { done = 0, total = 0 } = data ?? {}
  return (
    <>
      <Progress value={total === 0 ? 0 : (done / total) * 100} aria-label="Progress of the zip" />
      <Text size="sm" mt={4}>
        {total === 0 ? 'Building the zip' : `Building the zip: ${done} of ${countOf(total, 'version')}`}. You can leave this page.
      </Text>
    </>
  )
}
