import { expect, test } from 'vitest'
import { instruments } from '../../../onprem/monitoring/instruments.ts'
import { metricSamples } from '../../../onprem/monitoring/metric-samples.ts'

test('a sample has the increments of counters, and the gauges that are not 0', async () => {
  const measured = instruments()
  const samples = metricSamples(measured.registry, () => new Date('2026-01-01T00:00:00Z'))
  const labels = { kind: 'search', entry: 'http' }
  measured.questions.inc({ ...labels, outcome: 'answered' }, 5)
  measured.questionSeconds.observe(labels, 0.25)
  measured.questionsWaiting.set(2)
  await samples.add()
  measured.questions.inc({ ...labels, outcome: 'answered' }, 3)
  measured.questionsWaiting.set(0)
  await samples.add()
  const [first, second] = samples.list()
  expect(first).toMatchObject({
    at: '2026-01-01T00:00:00.000Z',
    values: { questions_waiting: 2 },
    increments: {
      'questions_total{kind="search",entry="http",outcome="answered"}': 5,
      'question_duration_seconds_sum{kind="search",entry="http"}': 0.25,
      'question_duration_seconds_count{kind="search",entry="http"}': 1,
    },
  })
  expect([second?.values, second?.increments]).toEqual([
    {},
    { 'questions_total{kind="search",entry="http",outcome="answered"}': 3 },
  ])
  expect(first?.rssMb).toBeGreaterThan(10)
  expect(first?.busy).toBeLessThanOrEqual(1)
})

test('samples of one hour are stored, the newest last', async () => {
  const { registry, libraries } = instruments()
  const samples = metricSamples(registry, () => new Date())
  for (let n = 1; n <= 125; n++) {
    libraries.set(n)
    await samples.add()
  }
  const kept = samples.list().map(({ values }) => values.libraries)
  expect([kept.length, kept[0], kept.at(-1)]).toEqual([120, 6, 125])
})
