import { Anchor, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import styles from './snippet-markdown.module.css'
import { hostOf, isWebAddress, strangerRel } from './stranger-address.ts'

type StrangerLinkProps = { href: string | undefined; children: ReactNode }

/** A link that a stranger wrote: its address is visible, and its host learns nothing about this page. Others than http(s) are text. */
export function StrangerLink({ href, children }: StrangerLinkProps) {
  if (href === undefined || !isWebAddress(href)) return <span>{children}</span>
  return (
    <>
      <Anchor href={href} target="_blank" rel={strangerRel} title={href} underline="always">
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
