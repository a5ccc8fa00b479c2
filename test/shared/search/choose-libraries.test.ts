import { expect, test } from 'vitest'
import { AppError } from '../../../shared/errors.ts'
import { printLibraryId } from '../../../shared/library.ts'
import { chooseLibraries } from '../../../shared/search/choose-libraries.ts'
import type { Snippet } from '../../../shared/snippet.ts'
import { library } from './shelf.ts'

const answer = (content: string) => ({ snippets: [{ breadcrumb: ['Guide'], content } as Snippet] })

async function choose(contents: Record<string, string>, query: string, more: Parameters<typeof library>[2] = {}) {
  const asked: string[] = []
  const libraries = Object.keys(contents).map((id) => library(id, id.slice(3), { totalSnippets: 5, ...more }))
  const chosen = await chooseLibraries(libraries, query, async (id) => {
    const name = printLibraryId(id)
    asked.push(name)
    if (contents[name] === '') throw new AppError('no_snippets_found', 'Nothing.')
    return answer(contents[name] ?? '')
  })
  return { chosen: chosen.map(printLibraryId), asked }
}

test('the libraries whose snippets have most words of a question are chosen, the best first, and no others', async () => {
  const contents = {
    '/a/boat': 'Sail a boat.',
    '/a/clock': 'Oil the spring of the clock.',
    '/a/mill': 'Oil a mill.',
    '/a/none': '',
  }
  expect((await choose(contents, 'how do I oil the spring of a clock')).chosen).toEqual(['/a/clock'])
  expect((await choose(contents, 'oil')).chosen).toEqual(['/a/clock', '/a/mill'])
  await expect(choose(contents, 'quantum')).rejects.toMatchObject({ code: 'no_snippets_found' })
  await expect(choose({}, 'quantum')).rejects.toMatchObject({ code: 'no_libraries_found' })
})

test('a library that the question names comes before those that have more of its words', async () => {
  const contents = { '/a/boat': 'Varnish the hull and the deck of a ship.', '/a/clock': 'Varnish it.' }
  expect((await choose(contents, 'varnish the hull and the deck with clock')).chosen).toEqual(['/a/clock', '/a/boat'])
  expect((await choose(contents, 'varnish the hull and the deck')).chosen).toEqual(['/a/boat'])
})

test('no more than five libraries are chosen', async () => {
  const contents = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [`/a/${name}${name}`, 'Oil it.']))
  expect((await choose(contents, 'oil')).chosen).toHaveLength(5)
})

test('twenty of thousands of libraries are asked: those that the question names first', async () => {
  const many = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`/a/lib${n}`, 'Oil it.']))
  const { asked } = await choose({ ...many, '/z/spring': 'Oil the spring.' }, 'oil the spring')
  expect([asked.length, asked[0]]).toEqual([20, '/z/spring'])
})

test('the libraries whose text matches best are chosen without asking any, after those that the question names', async () => {
  const ids = ['/a/boat', '/a/clock', '/a/mill', '/a/pier', '/a/quay', '/a/sail', '/a/tug']
  const libraries = ids.map((id) => library(id, id.slice(3), { totalSnippets: 5 }))
  const chosen = (question: string, scores: Record<string, number>) =>
    chooseLibraries(
      libraries,
      question,
      () => Promise.reject(new Error('asked')),
      async () => new Map(Object.entries(scores)),
    ).then((ids) => ids.map(printLibraryId))
  expect(await chosen('oil it', { '/a/clock': 9, '/a/mill': 10, '/a/boat': 1 })).toEqual(['/a/mill', '/a/clock'])
  expect(await chosen('oil the boat', { '/a/clock': 9, '/a/mill': 10, '/a/boat': 1 })).toEqual(['/a/boat', '/a/mill', '/a/clock'])
  expect(await chosen('oil it', Object.fromEntries(ids.map((id) => [id, 1])))).toEqual(ids.slice(0, 5))
  await expect(chosen('oil it', {})).rejects.toMatchObject({ code: 'no_snippets_found' })
})

test('libraries are asked while their text has no scores', async () => {
  const asked: string[] = []
  const ask = async (id: Parameters<typeof printLibraryId>[0]) => {
    asked.push(printLibraryId(id))
    return answer('Oil it.')
  }
  const libraries = [library('/a/mill', 'Mill', { totalSnippets: 5 })]
  await chooseLibraries(libraries, 'oil', ask, async () => undefined)
  expect(asked).toEqual(['/a/mill'])
})

test('an error that is not of one library ends the choice', async () => {
  const busy = new AppError('search_failed', 'Too many questions.', { retryAfterMs: 1000 })
  await expect(chooseLibraries([library('/a/b', 'B', { totalSnippets: 1 })], 'oil', () => Promise.reject(busy))).rejects.toBe(
    busy,
  )
})
