import { expect, test } from 'vitest'
import { pageCounter } from '../../../shared/reading/page-counter.ts'

const pages = ['cookies', 'headers'].map((name) => ({
  path: `docs/${name}.md`,
  title: `Read ${name}`,
  chunks: [
    { breadcrumb: [`Read ${name}`], prose: `The request holds ${name}.`, code: [{ code: `request.${name}.get('id')` }] },
    { breadcrumb: [`Read ${name}`, 'Limits'], prose: `A request with many ${name} is rejected.`, code: [] },
  ],
}))

test('two pages that are counted at the same time have the counts of each alone', () => {
  const alone = pages.map(({ path, title, chunks }) => {
    const counter = pageCounter(path, title)
    return { chunks: chunks.map(counter.add), total: counter.total() }
  })
  const counters = pages.map(({ path, title }) => pageCounter(path, title))
  const added = [0, 1].map((chunk) =>
    counters.map(({ add }, page) => add(pages[page]?.chunks[chunk] as Parameters<typeof add>[0])),
  )
  const together = counters.map(({ total }, page) => ({ chunks: added.map((chunks) => chunks[page]), total: total() }))
  expect(together).toEqual(alone)
})
