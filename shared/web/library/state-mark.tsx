import { Text, Tooltip } from '@mantine/core'
import { CircleAlert, CircleCheck, Clock, LoaderCircle } from 'lucide-react'
import { MessageText } from '../message-text.tsx'
import styles from './state-mark.module.css'

const kinds = {
  good: { icon: <CircleCheck size={14} aria-hidden />, color: 'var(--good)', soft: 'var(--good-soft)' },
  bad: { icon: <CircleAlert size={14} aria-hidden />, color: 'var(--bad)', soft: 'var(--bad-soft)' },
  waiting: { icon: <LoaderCircle size={14} aria-hidden />, color: 'var(--busy)', soft: 'var(--selected)' },
  old: { icon: <Clock size={14} aria-hidden />, color: 'var(--warn)', soft: 'var(--warn-soft)' },
  running: {
    icon: <LoaderCircle size={14} className={styles.turning} aria-hidden />,
    color: 'var(--busy)',
    soft: 'var(--selected)',
  },
} as const

type StateMarkProps = { kind: keyof typeof kinds; detail?: string | undefined; children: string }

/** A state as an icon and a word, with one or two lines of detail. */
export const StateMark = ({ kind, detail, children }: StateMarkProps) => (
  <span className={styles.mark}>
    <Text component="span" size="xs" c={kinds[kind].color} bg={kinds[kind].soft} className={styles.word}>
      {kinds[kind].icon} {children}
    </Text>
    {detail !== undefined && (
      <Tooltip label={<MessageText isPlain>{detail}</MessageText>}>
        <Text component="span" size="xs" c="dimmed" lineClamp={2}>
          <MessageText isPlain>{detail}</MessageText>
        </Text>
      </Tooltip>
    )}
  </span>
)
