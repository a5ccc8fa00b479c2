import { Anchor, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import styles from './snippet-markdown.module.css'

type StrangerLinkProps = { href: string | undefined; children: ReactNode }

/** A link that a stranger wrote: its address is visible, and its host learns nothing about this page. Others than http(s) are text. */
export function StrangerLink({ href, children }: StrangerLinkProps) {
  if (href === undefined || !/^https?:\/\//i.test(href)) return <span>{children}</span>
  return (
    <>
      <Anchor href={href} target="_blank" rel="noreferrer noopener nofollow" title={href} underline="always">
        {children}
      </Anchor>
      {String(children) !== href && (
        <Text component="span" size="xs" c="dimmed" className={styles.host}>
          <bdi>({hostOf(href)})</bdi>
        </Text>
      )}
    </>
  )
}

const hostOf = (href: string): string => (URL.canParse(href) ? new URL(href).host : href)
