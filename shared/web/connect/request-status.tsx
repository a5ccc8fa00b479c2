import { Loader, Text } from '@mantine/core'
import { CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import styles from './request-status.module.css'

type RequestStatusProps = {
  /** What was received; undefined while nothing was. */
  received: ReactNode
  /** What is waited for, as the end of a sentence. */
  awaited: string
  children?: ReactNode
}

/** Waits for the first request of an agent. */
export const RequestStatus = ({ received, awaited, children }: RequestStatusProps) => (
  <div className={styles.request} role="status">
    {received === undefined ? (
      <Text size="sm" className={styles.line}>
        <Loader size={14} aria-hidden />
        <span>Waiting for {awaited} …</span>
      </Text>
    ) : (
      <Text size="sm" c="var(--good)" className={styles.line}>
        <CircleCheck size={16} aria-hidden />
        <span>{received}</span>
      </Text>
    )}
    {children}
  </div>
)
