import { Group, Progress, SegmentedControl, Skeleton, Stack, Text, Title, VisuallyHidden } from '@mantine/core'
import { Suspense } from 'react'
import { ApiError } from '../api/api-error.ts'
import { CopyButton } from '../copy-button.tsx'
import { ErrorState } from '../error-state.tsx'
import { countOf, formatCount } from '../format.ts'
import { lazyPart } from '../lazy-part.ts'
import { Choice } from './choice.tsx'
import { compareAnswers } from './compare-answers.ts'
import { ComparedLibrary } from './compared-library.tsx'
import { CopyAs } from './copy-as.tsx'
import styles from './playground.module.css'
import { allLibraries, type ComparedSetting, type PlaygroundSearch, type Setting, views } from './playground-search.ts'
import type { PlaygroundSource } from './playground-source.ts'
import { RankedSnippets } from './ranked-snippets.tsx'
import { RateAnswer } from './rate-answer.tsx'
import { SettingBar } from './setting-bar.tsx'
import type { ShownAnswer } from './shown-answer.ts'

const CodeBlock = lazyPart(() => import('../snippet/code-block.tsx').then(({ CodeBlock }) => ({ default: CodeBlock })))

type AnswerColumnProps = Omit<PlaygroundSource, 'choosesLibraries'> & {
  search: PlaygroundSearch
  setting: ComparedSetting
  /** The column that this one is compared with. */
  other?: ComparedSetting | undefined
  isSecond?: boolean
  change: (setting: ComparedSetting) => void
  show: (view: PlaygroundSearch['view']) => void
}

/** The libraries that a column asks. */
export const librariesOf = (search: PlaygroundSearch, { library }: ComparedSetting): string[] =>
  library === undefined ? search.libraries : [library]

/** The answers of the libraries with one setting. */
export function AnswerColumn({ search, setting, other, isSecond, change, show, useLibraryIds, ...source }: AnswerColumnProps) {
  const { useAnswer } = source
  const libraries = librariesOf(search, setting)
  const [first = ''] = libraries
  const { data } = useAnswer({ library: first, question: search.question }, setting)
  const [compared, ...more] = other ? librariesOf(search, other) : []
  const isComparable = compared !== undefined && more.length === 0 && libraries.length === 1
  const name = other && (isSecond ? 'Second answer' : 'First answer')
  return (
    <Stack gap="md" className={styles.column} {...(name && { role: 'group', 'aria-label': name })}>
      <SettingBar setting={setting} change={change} answer={data}>
        {isSecond && (
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
  const nothing = answer.isLoadingError && isEmptyAnswer(answer.error) ? answer.error.message : undefined
  return (
    <Stack gap="md" component="section" aria-label={`Answer of ${name}`}>
      {isTitled && (
        <Title order={2} size="h4" className={styles.library}>
          <bdi>{library === allLibraries ? 'All libraries' : library}</bdi>
        </Title>
      )}
      <VisuallyHidden role="status">{answer.data ? announced(answer.data) : nothing}</VisuallyHidden>
      {nothing !== undefined ? (
        <Text size="sm" className={styles.nothing}>
          {nothing}
        </Text>
      ) : answer.isLoadingError ? (
        <ErrorState error={answer.error} retry={() => void answer.refetch()} />
      ) : answer.data ? (
        <>
          <Meter text={answer.data.text} setting={setting} snippets={answer.data.snippets.length} />
          <Steps answer={answer.data} />
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
            <RateAnswer key={`${library} ${question}`} libraryId={library} question={question} send={rate} />
          )}
          {view === 'rendered' && <Rendered answer={answer.data} relations={relations} />}
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

/** True for an answer without a snippet, which is no failure. */
const isEmptyAnswer = (error: Error) =>
  error instanceof ApiError && ['no_snippets_found', 'no_libraries_found'].includes(error.code)

/** What a screen reader says when an answer arrives. */
const announced = ({ snippets, text }: ShownAnswer) =>
  `${countOf(snippets.length, 'snippet')}, ${countOf(usedTokens(text), 'token')}`

function Rendered({ answer: { choice, notes, snippets }, relations }: { answer: ShownAnswer; relations: Relations }) {
  return (
    <>
      {notes.map((note) => (
        <Text key={note} size="sm" c="dimmed" className={styles.note}>
          <bdi>{note}</bdi>
        </Text>
      ))}
      {choice && <Choice choice={choice} />}
      <RankedSnippets snippets={snippets} relations={relations} />
    </>
  )
}
type Relations = ReturnType<typeof compareAnswers> | undefined

/** The searches that contributed, and the time of each step that exists and took some. */
function Steps({ answer: { isHybrid, timings, available, ms } }: { answer: ShownAnswer }) {
  const isAbsent: Record<string, boolean> = { embed: !available?.vectors, rerank: !available?.reranking }
  const took = Object.entries(timings).filter(([step, each]) => each > 0 && !isAbsent[step])
  const steps = took.map(([step, each]) => `${step} ${formatCount(Math.round(each * 10) / 10)} ms`)
  return (
    <Text size="xs" c="dimmed">
      {[`By ${isHybrid ? 'words and vectors' : 'words'}`, ...steps, `${Math.round(ms)} ms with the network`].join(' · ')}
    </Text>
  )
}

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
