import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { analyse, proseOnly } from '../../../../shared/search/words/analyse.ts'

describe('the terms of a text', () => {
  test.each(['onError', 'on_error', 'on-error', 'on.error', 'OnError'])('contain the parts and the whole of %s', (text) => {
    expect(analyse(text)).toEqual(['on', 'error', 'onerror'])
  })

  test.each([
    ['React.useState', ['react', 'us', 'state', 'usest', 'reactusest']],
    ['XMLHttpRequest', ['xml', 'http', 'request', 'xmlhttprequest']],
    ['@scope/pkg', ['scope', 'pkg', 'scopepkg']],
    ['a.b.c.d.e', ['a', 'b', 'c', 'd', 'e']],
    ['naïve Café', ['naiv', 'cafe']],
    ['routers routing', ['router', 'rout']],
    ['使用依赖', ['使用', '用依', '依赖']],
    ['APIs of URLs', ['api', 'of', 'url']],
    ['IDSource', ['id', 'sourc', 'idsourc']],
  ])('are extracted from "%s"', (text, terms) => {
    expect(analyse(text)).toEqual(terms)
  })

  test('are the same for a question and for its answer', () => {
    expect(analyse('parse_body')).toEqual(expect.arrayContaining(analyse('parse body')))
  })

  test.each([
    ['normalise initialisation', 'normalize initialization'],
    ['behaviours coloured favourites', 'behaviors colored favorites'],
    ['analyse catalogues', 'analyze catalogs'],
    ['centre licences', 'center licenses'],
  ])('are the same in British and American spelling: %s', (british, american) => {
    expect(analyse(british)).toEqual(analyse(american))
  })

  test('contain no spaces, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        expect(analyse(text).filter((term) => term === '' || /\s/.test(term))).toEqual([])
      }),
    )
  })

  test('are returned with the written words, which typos are compared with', () => {
    const words = new Set<string>()
    analyse('Validators of parseBody', words)
    expect([...words]).toEqual(['validators', 'parse', 'body', 'parsebody'])
  })
})

test('Korean is indexed as pairs of syllables, in either form of Unicode', () => {
  expect(analyse('함수를')).toEqual(['함수', '수를'])
  expect(analyse('함수를'.normalize('NFD'))).toEqual(['함수', '수를'])
})

test('the prose of a text omits tags, link targets and addresses', () => {
  expect(proseOnly('See <b>the</b> [guide](https://example.com/a) at https://example.com/b now')).not.toMatch(/example|<b>/)
})

test('a megabyte of one word or of separators has at most two terms', () => {
  expect(analyse('a'.repeat(1_000_000))).toHaveLength(1)
  expect(analyse('._-/'.repeat(250_000)).length).toBeLessThan(3)
})

test('link targets without an end take time in proportion to the text', () => {
  const text = ']('.repeat(500_000)
  expect(proseOnly(text) === text).toBe(true)
  expect(proseOnly('[a](b](c [d](e) f]( g')).toBe('[a](b](c [d]  f]( g')
})
