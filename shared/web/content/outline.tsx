import { Text } from '@mantine/core'
import { countOf } from '../format.ts'
import { TextLink } from '../link-button.tsx'
import type { Heading } from './passages.ts'
import styles from './reader.module.css'

const maxListed = 400

/** The headings of a page, with the one that is being read. */
export function Outline({ headings, current }: { headings: readonly Heading[]; current: string | undefined }) {
  return (
    <>
      <ul className={styles.outlineList}>
        {headings.slice(0, maxListed).map(({ anchor, text, level, within }) => (
          <li key={anchor}>
            <TextLink
              to="."
              search={true}
              hash={anchor}
              resetScroll={false}
              hashScrollIntoView={false}
              className={styles.outlineLink}
              data-level={Math.min(level, 4)}
              data-current={anchor === current || undefined}
              activeOptions={{ includeHash: true }}
              title={text}
            >
              <bdi>{text}</bdi>
              {within !== undefined && <span className={styles.within}> {within}</span>}
            </TextLink>
          </li>
        ))}
      </ul>
      {headings.length > maxListed && (
        <Text size="xs" c="dimmed" px={8}>
          and {countOf(headings.length - maxListed, 'more heading', 'more headings')}
        </Text>
      )}
    </>
  )
}
