import { Title, type TitleOrder, Tooltip } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { Check, Link2 } from 'lucide-react'
import { useRef } from 'react'
import { TextLink } from '../link-button.tsx'
import type { Heading } from './passages.ts'
import styles from './reader.module.css'

/** The id of a heading in the page: with a prefix, so that a stranger's heading never has the id of one of our elements. */
export const headingId = (anchor: string): string => `heading-${anchor}`

/** The title of a page is below that of the library. */
const orderOf = (level: number): TitleOrder => Math.min(6, level + 1) as TitleOrder

/** A heading with a link to itself, which is also copied. */
export function ReaderHeading({ heading: { anchor, text, level } }: { heading: Heading }) {
  const { copied, copy } = useClipboard({ timeout: 1500 })
  const link = useRef<HTMLAnchorElement>(null)
  return (
    <div id={headingId(anchor)} tabIndex={-1} className={styles.heading} data-level={Math.min(level, 5)}>
      <Title order={orderOf(level)} className={styles.headingText}>
        <bdi>{text}</bdi>
      </Title>
      <Tooltip label={copied ? 'Link copied' : 'Copy link'}>
        <TextLink
          ref={link}
          to="."
          search={true}
          hash={anchor}
          resetScroll={false}
          hashScrollIntoView={false}
          activeOptions={{ includeHash: true }}
          className={styles.anchor}
          aria-label={`Link to ${text}`}
          onClick={() => link.current && copy(link.current.href)}
        >
          {copied ? <Check size={15} aria-hidden /> : <Link2 size={15} aria-hidden />}
        </TextLink>
      </Tooltip>
    </div>
  )
}
