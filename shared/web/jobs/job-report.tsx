import { Table, Text, Title } from '@mantine/core'
import type { JobReport as Report } from '../../indexing/index-job.ts'
import { countOf, formatCount, formatDuration } from '../format.ts'
import styles from './job-report.module.css'

const maxShownPaths = 50

type JobReportProps = { report: Report; kind: 'parse' | 'import' | 'reindex' }

/** The figures of a job, and what it left out. */
export function JobReport({ report, kind }: JobReportProps) {
  const { versions = [] } = report
  return (
    <div>
      <Title order={2} size="h3" mb="xs">
        Report
      </Title>
      <dl className={styles.facts}>
        {factsOf(report, kind).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="figure">{value}</dd>
          </div>
        ))}
      </dl>
      {report.snippetsAfter < report.snippetsBefore && (
        <Text size="sm" mt="xs">
          The library shrank by {countOf(report.snippetsBefore - report.snippetsAfter, 'snippet')}.
        </Text>
      )}
      {versions.length > 1 && <Versions versions={versions} />}
      {report.skipped.length > 0 && <Skipped skipped={report.skipped} />}
    </div>
  )
}

function factsOf(
  { filesRead, filesKept = 0, snippetsBefore, snippetsAfter, tokens, durationMs, textsEmbedded, llmTokens }: Report,
  kind: JobReportProps['kind'],
) {
  return [
    ...(kind === 'parse' ? [['Files read', formatCount(filesRead)]] : []),
    ...(filesKept > 0 ? [['Unchanged files kept', formatCount(filesKept)]] : []),
    ['Snippets before', formatCount(snippetsBefore)],
    ['Snippets after', formatCount(snippetsAfter)],
    ['Tokens', formatCount(tokens)],
    ['Duration', formatDuration(durationMs)],
    ...(textsEmbedded > 0 ? [['Texts embedded', formatCount(textsEmbedded)]] : []),
    ...(llmTokens > 0 ? [['Model tokens', formatCount(llmTokens)]] : []),
  ]
}

const Versions = ({ versions }: { versions: NonNullable<Report['versions']> }) => (
  <Table mt="xs" className={styles.versions}>
    <Table.Thead>
      <Table.Tr>
        <Table.Th>Version</Table.Th>
        <Table.Th ta="right">Files read</Table.Th>
        <Table.Th ta="right">Snippets</Table.Th>
        <Table.Th ta="right">Skipped</Table.Th>
      </Table.Tr>
    </Table.Thead>
    <Table.Tbody>
      {versions.map(({ version, filesRead, filesKept = 0, snippets, skipped }) => (
        <Table.Tr key={version}>
          <Table.Td>
            <bdi>{version === '' ? 'Default' : version}</bdi>
          </Table.Td>
          <Table.Td ta="right">
            {formatCount(filesRead)}
            {filesKept > 0 && ` of ${formatCount(filesRead + filesKept)}`}
          </Table.Td>
          <Table.Td ta="right">{formatCount(snippets)}</Table.Td>
          <Table.Td ta="right">{formatCount(skipped)}</Table.Td>
        </Table.Tr>
      ))}
    </Table.Tbody>
  </Table>
)

function Skipped({ skipped }: Pick<Report, 'skipped'>) {
  const byReason = Map.groupBy(skipped, ({ reason }) => reason)
  return (
    <div className={styles.skipped}>
      <Title order={3} size="h3" mt="md" mb={4}>
        {countOf(skipped.length, 'file or snippet left out', 'files or snippets left out')}
      </Title>
      {[...byReason].map(([reason, files]) => (
        <details key={reason}>
          <summary>
            <bdi>{reason}</bdi> ({formatCount(files.length)})
          </summary>
          <ul>
            {files.slice(0, maxShownPaths).map(({ path }) => (
              <li key={path}>
                <bdi>{path}</bdi>
              </li>
            ))}
            {files.length > maxShownPaths && <li>and {formatCount(files.length - maxShownPaths)} more</li>}
          </ul>
        </details>
      ))}
    </div>
  )
}
