import { Checkbox, Group, NumberInput, Progress, SegmentedControl, Skeleton, Stack, Text, Title } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { CopyButton } from '../copy-button.tsx'
import { ErrorState } from '../error-state.tsx'
import { countOf, formatCount } from '../format.ts'
import { CopyAs } from './copy-as.tsx'
import styles from './playground.module.css'
import { type PlaygroundSearch, type Setting, views } from './playground-search.ts'
import { RankedSnippets } from './ranked-snippets.tsx'
import { RateAnswer, type Rating } from './rate-answer.tsx'
import type { ShownAnswer } from './shown-answer.ts'

const CodeBlock = lazy(() => import('../snippet/code-block.tsx').then(({ CodeBlock }) => ({ default: CodeBlock })))

/** A hook that asks a library a question. */
export type UseAnswer = (asked: { library: string; question: string }, setting: Setting) => UseQueryResult<ShownAnswer>

export type AnswerSource = {
  useAnswer: UseAnswer
  /** If reranking and vectors can be switched off. */
  hasModels: boolean
  /** The address of the API, without a trailing slash. */
  server: string
  /** Stores a rating. Absent if no feedback is kept. */
  rate?: ((rating: Rating) => Promise<unknown>) | undefined
}

type AnswerColumnProps = AnswerSource & {
  search: PlaygroundSearch
  setting: Setting
  change: (setting: Setting) => void
  show: (view: PlaygroundSearch['view']) => void
}

/** The answers of the libraries with one setting. */
export const AnswerColumn = ({ search, setting, change, show, ...source }: AnswerColumnProps) => (
  <Stack gap="md" className={styles.column}>
    <SettingBar setting={setting} change={change} hasModels={source.hasModels} />
    {search.libraries.map((library) => (
      <Answer
        key={library}
        library={library}
        question={search.question}
        isOneOfSeveral={search.libraries.length > 1}
        setting={setting}
        view={search.view}
        show={show}
        {...source}
      />
    ))}
  </Stack>
)

type AnswerProps = Pick<AnswerColumnProps, 'setting' | 'show' | keyof AnswerSource> &
  Pick<PlaygroundSearch, 'question' | 'view'> & { library: string; isOneOfSeveral: boolean }

function Answer({ library, question, isOneOfSeveral, setting, view, show, useAnswer, server, rate }: AnswerProps) {
  const answer = useAnswer({ library, question }, setting)
  return (
    <Stack gap="md" component="section" aria-label={`Answer of ${library}`}>
      {isOneOfSeveral && (
        <Title order={2} size="h4" className={styles.library}>
          <bdi>{library}</bdi>
        </Title>
      )}
      {answer.isLoadingError ? (
        <ErrorState error={answer.error} retry={() => void answer.refetch()} />
      ) : answer.data ? (
        <>
          <Meter text={answer.data.text} setting={setting} snippets={answer.data.snippets.length} />
          <Text size="xs" c="dimmed">
            By {answer.data.search} ·{' '}
            {Object.entries(answer.data.timings)
              .filter(([, ms]) => ms > 0)
              .map(([step, ms]) => `${step} ${ms} ms`)
              .join(' · ')}{' '}
            · {Math.round(answer.data.ms)} ms with the network
          </Text>
          <Group justify="space-between" gap="xs">
            <SegmentedControl
              size="xs"
              aria-label="View"
              value={view}
              onChange={(chosen) => show(chosen as PlaygroundSearch['view'])}
              data={views.map((value) => ({ value, label: labels[value] }))}
            />
            <CopyAs server={server} library={library} question={question} setting={setting} />
          </Group>
          {rate && (
            <RateAnswer key={`${library} ${question}`} libraryId={library} question={question.slice(0, 500)} send={rate} />
          )}
          {view === 'rendered' && <RankedSnippets snippets={answer.data.snippets} />}
          {view === 'text' && <Exact text={answer.data.text} />}
          {view === 'json' && (
            <Suspense fallback={<Skeleton height={240} />}>
              <CodeBlock code={JSON.stringify(answer.data.json, null, 2)} language="json" />
            </Suspense>
          )}
        </>
      ) : (
        <Skeleton height={360} />
      )}
    </Stack>
  )
}

const labels = { rendered: 'Rendered', text: 'Text', json: 'JSON' }

const SettingBar = ({ setting, change, hasModels }: Pick<AnswerColumnProps, 'setting' | 'change' | 'hasModels'>) => (
  <Group gap="md" align="end">
    <NumberInput
      label="Tokens"
      size="xs"
      w={110}
      min={500}
      max={50_000}
      step={500}
      thousandSeparator=","
      value={setting.tokens}
      onBlur={(event) => {
        const tokens = Number(event.currentTarget.value.replaceAll(',', ''))
        if (tokens !== setting.tokens) change({ ...setting, tokens })
      }}
    />
    {hasModels && (
      <>
        <Checkbox
          label="Fast (no reranking)"
          checked={setting.fast}
          onChange={(event) => change({ ...setting, fast: event.currentTarget.checked })}
        />
        <Checkbox
          label="Vectors"
          checked={setting.vectors}
          onChange={(event) => change({ ...setting, vectors: event.currentTarget.checked })}
        />
      </>
    )}
  </Group>
)

const charsPerToken = 4

/** A token is four characters. */
function Meter({ text, setting, snippets }: { text: string; setting: Setting; snippets: number }) {
  const used = Math.ceil(text.length / charsPerToken)
  return (
    <div>
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={500}>
          {countOf(snippets, 'snippet')}
        </Text>
        <Text size="sm" c="dimmed" className="figure">
          {formatCount(used)} of {formatCount(setting.tokens)} tokens
        </Text>
      </Group>
      <Progress value={Math.min(100, (100 * used) / setting.tokens)} size="sm" mt={4} aria-label="Tokens used" />
    </div>
  )
}

/** The text as an agent receives it. */
const Exact = ({ text }: { text: string }) => (
  <div className={styles.exact}>
    <span className={styles.copy}>
      <CopyButton value={text} label="the text" />
    </span>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach what scrolls */}
    <pre tabIndex={0} dir="auto">
      {text}
    </pre>
  </div>
)
