import { Text, Tooltip } from '@mantine/core'
import { CircleAlert, CircleCheck, Clock, LoaderCircle } from 'lucide-react'
import styles from './state-mark.module.css'

const kinds = {
  good: { icon: <CircleCheck size={15} aria-hidden />, color: 'var(--good)' },
  bad: { icon: <CircleAlert size={15} aria-hidden />, color: 'var(--bad)' },
  waiting: { icon: <LoaderCircle size={15} aria-hidden />, color: 'var(--busy)' },
  old: { icon: <Clock size={15} aria-hidden />, color: 'var(--warn)' },
  running: { icon: <LoaderCircle size={15} className={styles.turning} aria-hidden />, color: 'var(--busy)' },
} as const

type StateMarkProps = { kind: keyof typeof kinds; detail?: string | undefined; children: string }

/** A state as an icon and a word, with one or two lines of detail. */
export const StateMark = ({ kind, detail, children }: StateMarkProps) => (
  <span className={styles.mark}>
    <Text component="span" size="sm" c={kinds[kind].color} className={styles.word}>
      {kinds[kind].icon} {children}
    </Text>
    {detail !== undefined && (
      <Tooltip label={detail}>
        <Text component="span" size="xs" c="dimmed" lineClamp={2}>
          {detail}
        </Text>
      </Tooltip>
    )}
  </span>
)
