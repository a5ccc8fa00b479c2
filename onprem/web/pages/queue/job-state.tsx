import { CircleCheck, CircleDashed, CircleSlash, LoaderCircle, TriangleAlert } from 'lucide-react'
import type { Job } from '../../api/job-queries.ts'
import styles from './queue.module.css'

const states = {
  queued: { word: 'Waiting', icon: CircleDashed, tone: 'idle' },
  parsing: { word: 'Running', icon: LoaderCircle, tone: 'busy' },
  finalizing: { word: 'Finishing', icon: LoaderCircle, tone: 'busy' },
  done: { word: 'Done', icon: CircleCheck, tone: 'good' },
  failed: { word: 'Failed', icon: TriangleAlert, tone: 'bad' },
  cancelled: { word: 'Cancelled', icon: CircleSlash, tone: 'idle' },
} as const

export function JobState({ state }: Pick<Job, 'state'>) {
  const { word, icon: Icon, tone } = states[state]
  return (
    <span className={styles.state} data-tone={tone}>
      <Icon size={16} aria-hidden />
      {word}
    </span>
  )
}
