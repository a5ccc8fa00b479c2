import { Skeleton, Title } from '@mantine/core'
import { type ReactNode, Suspense, useId } from 'react'
import { formatCount, formatShare } from '../format.ts'
import { lazyPart } from '../lazy-part.ts'
import { ChartLegend } from './chart-legend.tsx'
import { formatAnswerTime, type ShownUsage, shownOutcomes, shownPercentiles } from './shown-usage.ts'
import styles from './usage.module.css'

const OutcomeChart = lazyPart(async () => ({ default: (await import('./answer-charts.tsx')).OutcomeChart }))
const AnswerTimeChart = lazyPart(async () => ({ default: (await import('./answer-charts.tsx')).AnswerTimeChart }))

/** How the questions of a period ended, and how long their answers took. */
export const Answers = ({ usage }: { usage: ShownUsage }) => (
  <div className={styles.tables}>
    <ChartSection title="Questions">
      <OutcomeChart usage={usage} />
      <ChartLegend
        label="Questions by outcome"
        series={shownOutcomes.map(({ outcome, label }) => ({
          key: outcome,
          label,
          value: formatCount(usage.period[outcome]),
          share: formatShare(usage.period[outcome] / usage.period.questions),
        }))}
      />
    </ChartSection>
    {usage.period.answerMs && (
      <ChartSection title="Answer time">
        <AnswerTimeChart usage={usage} />
        <ChartLegend label="Answer time of the period" series={timesOf(usage.period.answerMs)} />
      </ChartSection>
    )}
  </div>
)

function ChartSection({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id} className={styles.section}>
      <Title order={2} id={id} mb="xs">
        {title}
      </Title>
      <Suspense fallback={<Skeleton height={208} />}>{children}</Suspense>
    </section>
  )
}

const timesOf = (times: NonNullable<ShownUsage['period']['answerMs']>) =>
  shownPercentiles.map(({ percentile, label }) => ({
    key: percentile,
    label,
    value: `within ${formatAnswerTime(times[percentile])}`,
  }))
