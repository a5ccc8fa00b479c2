import { expect, test } from 'vitest'
import { countryOf } from '../../../functions/access/request-usage.ts'
import { topicsOf } from '../../../shared/usage/topics-of.ts'
import { UsageEvent } from '../../../shared/usage/usage-event.ts'
import { usageEvent } from '../../fixtures/usage.ts'

const of = (...topics: string[]) => topicsOf(topics.map((topic) => ({ breadcrumb: [], topic })))
const at = (...breadcrumbs: string[][]) => topicsOf(breadcrumbs.map((breadcrumb) => ({ breadcrumb, topic: 'stored before' })))

test.each<[string[], string[]]>([
  [['Routing', 'Usage', 'With a router'], ['routing']],
  [
    ['Routing', 'Dynamic  `routes`'],
    ['routing', 'dynamic routes'],
  ],
  [['Routing', 'routing'], ['routing']],
  [['Routing', '3. Options:'], ['routing']],
  [['Usage', 'Helpers'], ['usage']],
  [['Overview', 'Cookies'], ['cookies']],
  [['', 'Cookies'], ['cookies']],
  [
    ['3D models', '404 errors'],
    ['3d models', '404 errors'],
  ],
  [[], ['stored before']],
])('a snippet at %j has the topics %j', (breadcrumb, topics) => {
  expect(at(breadcrumb)).toEqual(topics)
})

test('an answer has the first three distinct topics of its snippets', () => {
  expect(at(['Routing', 'Usage'], ['Hooks', 'State'], ['Routing', 'Example'], ['Deploy', 'Where'])).toEqual([
    'routing',
    'hooks',
    'state',
  ])
})

test('topics of snippets without headings are lower-cased', () => {
  expect(of('Routing', ' routing ', 'Hooks', '', 'Routing\n\tin  depth', 'Deploy')).toEqual([
    'routing',
    'hooks',
    'routing in depth',
  ])
  expect(of()).toEqual([])
})

test('hostile topics become plain ones that fit into an event', () => {
  const topics = at([`a${'\u0000'.repeat(9)}b\u202E`, 'İ'.repeat(10_000)], [`${'x'.repeat(79)}😀`, '9.'.repeat(50_000)])
  expect(topics[0]).toBe('ab')
  expect(topics.every((topic) => topic.length <= 80 && topic.isWellFormed())).toBe(true)
  expect(UsageEvent.safeParse(usageEvent({ topics })).success).toBe(true)
  expect(of('\u0000\u200B', '   ')).toEqual([])
})

test.each([
  ['DE', 'DE'],
  ['XK', 'XK'],
  ['XX', undefined],
  ['T1', undefined],
  ['ZZ', undefined],
  ['EU', undefined],
  ['de', undefined],
  ['DEU', undefined],
  ['D\n', undefined],
  ['', undefined],
  [undefined, undefined],
])('the header of the country %s means %s', (header, country) => {
  expect(countryOf(header)).toBe(country)
})
