import { Button, Switch, Text, Title, VisuallyHidden } from '@mantine/core'
import { useMemo, useState } from 'react'
import { countOf } from '../format.ts'
import styles from './compare.module.css'
import { type ComparedSection, comparePages, type Gap, type Line } from './compare-pages.ts'
import type { ReadPage } from './shown-content.ts'

type ComparedTextProps = {
  path: string
  title: string
  names: { from: string; to: string }
  older: readonly ReadPage[]
  newer: readonly ReadPage[]
  /** True if only the first part of a very long page was read. */
  isPartial: boolean
}

const linesAtOnce = 1_500
const words = { same: 'Unchanged', added: 'Added', removed: 'Removed', changed: 'Changed' }
const signs = { same: ' ', added: '+', removed: '−' }

/** The differences of two versions of a page, by section. */
export function ComparedText({ path, title, names, older, newer, isPartial }: ComparedTextProps) {
  const { sections, isCut } = useMemo(
    () =>
      comparePages(
        older.flatMap(({ items }) => items),
        newer.flatMap(({ items }) => items),
      ),
    [older, newer],
  )
  const [showsAll, setShowsAll] = useState(false)
  const [maxLines, setMaxLines] = useState(linesAtOnce)
  const listed = sections.filter(({ change }) => showsAll || change !== 'same')
  const { shown, hidden } = firstLines(listed, maxLines)
  const count = (change: ComparedSection['change']) => sections.filter((each) => each.change === change).length
  return (
    <article className={styles.compared}>
      <div className={styles.head}>
        <div>
          <Title order={2}>
            <bdi>{title}</bdi>
          </Title>
          <Text size="xs" c="dimmed">
            <bdi>{path}</bdi> · sections: {count('changed')} changed, {count('added')} added, {count('removed')} removed,{' '}
            {count('same')} unchanged
          </Text>
        </div>
        <Switch
          size="xs"
          label="Unchanged sections"
          checked={showsAll}
          onChange={(event) => setShowsAll(event.currentTarget.checked)}
        />
      </div>
      {(isCut || isPartial) && (
        <Text size="sm" c="dimmed">
          {isPartial
            ? 'The page is very long: its first 2,000 snippets are compared.'
            : 'The versions differ so much that some sections are shown as removed and added as a whole.'}
        </Text>
      )}
      {listed.length === 0 && (
        <Text size="sm" c="dimmed">
          The text of this page is the same in {names.from} and {names.to}.
        </Text>
      )}
      {shown.map((section) => (
        <ShownSection key={section.id} section={section} />
      ))}
      {hidden > 0 && (
        <Button variant="default" onClick={() => setMaxLines(maxLines + linesAtOnce)}>
          Show more of {countOf(hidden, 'line')}
        </Button>
      )}
    </article>
  )
}

function ShownSection({ section }: { section: ComparedSection }) {
  return (
    <section className={styles.section}>
      <div className={styles.sectionHead}>
        <Title order={3} className={styles.sectionTitle}>
          <bdi>{section.heading.slice(0, 300)}</bdi>
        </Title>
        <span className={styles.mark} data-change={section.change}>
          {words[section.change]}
        </span>
      </div>
      {section.lines.length > 0 && (
        <div className={styles.lines}>
          {[...section.lines.entries()].map(([number, line]) => (
            <ShownLine key={number} line={line} />
          ))}
        </div>
      )}
    </section>
  )
}

function ShownLine({ line }: { line: Line | Gap }) {
  if ('hidden' in line) return <div className={styles.gap}>{countOf(line.hidden, 'unchanged line')}</div>
  const Mark = line.kind === 'removed' ? 'del' : 'ins'
  return (
    <div className={styles.line} data-kind={line.kind}>
      <span className={styles.sign} aria-hidden>
        {signs[line.kind]}
      </span>
      <span className={styles.lineText} dir="auto">
        {line.kind !== 'same' && <VisuallyHidden>{words[line.kind]}: </VisuallyHidden>}
        {[...line.pieces.entries()].map(([number, { text, changed }]) =>
          changed ? <Mark key={number}>{text}</Mark> : <span key={number}>{text}</span>,
        )}
      </span>
    </div>
  )
}

/** The sections up to a number of lines, and the number of the others. */
function firstLines(sections: readonly ComparedSection[], max: number): { shown: ComparedSection[]; hidden: number } {
  const shown: ComparedSection[] = []
  let [left, hidden] = [max, 0]
  for (const section of sections) {
    const lines = section.lines.slice(0, Math.max(0, left))
    hidden += section.lines.length - lines.length
    if (left > 0) shown.push({ ...section, lines })
    left -= section.lines.length + 1
  }
  return { shown, hidden }
}
