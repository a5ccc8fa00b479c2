import {
  Checkbox,
  Group,
  NumberInput,
  Progress,
  SegmentedControl,
  Skeleton,
  Stack,
  Text,
  Title,
  VisuallyHidden,
} from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense } from 'react'
import { CopyButton } from '../copy-button.tsx'
import { ErrorState } from '../error-state.tsx'
import { countOf, formatCount } from '../format.ts'
import { compareAnswers } from './compare-answers.ts'
import { ComparedLibrary } from './compared-library.tsx'
import { CopyAs } from './copy-as.tsx'
import styles from './playground.module.css'
import { allLibraries, type ComparedSetting, type PlaygroundSearch, type Setting, views } from './playground-search.ts'
import type { UseLibraryIds } from './question-form.tsx'
import { RankedSnippets } from './ranked-snippets.tsx'
import { RateAnswer, type Rating } from './rate-answer.tsx'
import type { ShownAnswer } from './shown-answer.ts'

const CodeBlock = lazy(() => import('../snippet/code-block.tsx').then(({ CodeBlock }) => ({ default: CodeBlock })))

/** A hook that asks a library a question. */
export type UseAnswer = (asked: { library: string; question: string }, setting: Setting) => UseQueryResult<ShownAnswer>

export type AnswerSource = {
  useAnswer: UseAnswer
  /** The address of the API, without a trailing slash. */
  server: string
  /** Stores a rating. Absent if no feedback is kept. */
  rate?: ((rating: Rating) => Promise<unknown>) | undefined
  /** Without it, the libraries cannot be chosen here. */
  useLibraryIds?: UseLibraryIds | undefined
}

type AnswerColumnProps = AnswerSource & {
  search: PlaygroundSearch
  setting: ComparedSetting
  /** The column that this one is compared with. */
  other?: ComparedSetting | undefined
  change: (setting: ComparedSetting) => void
  show: (view: PlaygroundSearch['view']) => void
}

/** The libraries that a column asks. */
export const librariesOf = (search: PlaygroundSearch, { library }: ComparedSetting): string[] =>
  library === undefined ? search.libraries : [library]

/** The answers of the libraries with one setting. */
export function AnswerColumn({ search, setting, other, change, show, useLibraryIds, ...source }: AnswerColumnProps) {
  const { useAnswer } = source
  const libraries = librariesOf(search, setting)
  const [first = ''] = libraries
  const { data } = useAnswer({ library: first, question: search.question }, setting)
  const [compared, ...more] = other ? librariesOf(search, other) : []
  const isComparable = compared !== undefined && more.length === 0 && libraries.length === 1
  return (
    <Stack gap="md" className={styles.column}>
      <SettingBar setting={setting} change={change} answer={data}>
        {other && useLibraryIds && search.b === setting && (
          <ComparedLibrary
            value={first}
            onChange={(library) => change({ ...setting, library: library === search.libraries[0] ? undefined : library })}
            useLibraryIds={useLibraryIds}
          />
        )}
      </SettingBar>
      {libraries.map((library) => (
        <Answer
          key={library}
          library={library}
          question={search.question}
          isTitled={libraries.length > 1 || search.b?.library !== undefined}
          setting={setting}
          comparedWith={isComparable && other ? { library: compared, setting: other } : undefined}
          view={search.view}
          show={show}
          {...source}
        />
      ))}
    </Stack>
  )
}

type AnswerProps = Pick<AnswerColumnProps, 'setting' | 'show' | 'useAnswer' | 'server' | 'rate'> &
  Pick<PlaygroundSearch, 'question' | 'view'> & {
    library: string
    isTitled: boolean
    comparedWith: { library: string; setting: ComparedSetting } | undefined
  }

function Answer({ library, question, isTitled, setting, comparedWith, view, show, useAnswer, server, rate }: AnswerProps) {
  const answer = useAnswer({ library, question }, setting)
  const other = useAnswer({ library: comparedWith?.library ?? library, question }, comparedWith?.setting ?? setting)
  const relations = comparedWith && answer.data && other.data && compareAnswers(answer.data.snippets, other.data.snippets)
  const name = library === allLibraries ? 'all libraries' : library
  return (
    <Stack gap="md" component="section" aria-label={`Answer of ${name}`}>
      {isTitled && (
        <Title order={2} size="h4" className={styles.library}>
          <bdi>{library === allLibraries ? 'All libraries' : library}</bdi>
        </Title>
      )}
      <VisuallyHidden role="status">{answer.data && announced(answer.data)}</VisuallyHidden>
      {answer.isLoadingError ? (
        <ErrorState error={answer.error} retry={() => void answer.refetch()} />
      ) : answer.data ? (
        <>
          <Meter text={answer.data.text} setting={setting} snippets={answer.data.snippets.length} />
          <Text size="xs" c="dimmed">
            By {answer.data.isHybrid ? 'words and vectors' : 'words'} ·{' '}
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
          {/* A rating is about one library. */}
          {rate && library !== allLibraries && (
            <RateAnswer key={`${library} ${question}`} libraryId={library} question={question.slice(0, 500)} send={rate} />
          )}
          {view === 'rendered' && <RankedSnippets snippets={answer.data.snippets} relations={relations} />}
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

/** What a screen reader says when an answer arrives. */
const announced = ({ snippets, text }: ShownAnswer) =>
  `${countOf(snippets.length, 'snippet')}, ${countOf(usedTokens(text), 'token')}`

type SettingBarProps = Pick<AnswerColumnProps, 'setting' | 'change'> & { answer: ShownAnswer | undefined; children: ReactNode }

/** Without a model, the step of reranking takes less. */
const minModelMs = 5

/** Offers to switch off what the answer used, and to switch on again what is off. */
const SettingBar = ({ setting, change, answer, children }: SettingBarProps) => (
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
    {(setting.fast || (answer?.timings.rerank ?? 0) >= minModelMs) && (
      <Checkbox
        label="Fast (no reranking)"
        checked={setting.fast}
        onChange={(event) => change({ ...setting, fast: event.currentTarget.checked })}
      />
    )}
    {(!setting.vectors || answer?.isHybrid) && (
      <Checkbox
        label="Vectors"
        checked={setting.vectors}
        onChange={(event) => change({ ...setting, vectors: event.currentTarget.checked })}
      />
    )}
    {children}
  </Group>
)

const charsPerToken = 4

/** A token is four characters. */
const usedTokens = (text: string) => Math.ceil(text.length / charsPerToken)

function Meter({ text, setting, snippets }: { text: string; setting: Setting; snippets: number }) {
  const used = usedTokens(text)
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
