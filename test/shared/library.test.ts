import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AppError } from '../../shared/errors.ts'
import {
  libraryKey,
  parseLibraryId,
  printLibraryId,
  readSourceId,
  repositoryTitle,
  sourceId,
  versionKey,
  versionName,
} from '../../shared/library.ts'

const refusal = (text: string) => {
  try {
    parseLibraryId(text)
  } catch (error) {
    return error instanceof AppError ? error.code : 'another error'
  }
  return 'accepted'
}

describe('a library id', () => {
  test.each([
    ['/honojs/website', { owner: 'honojs', repo: 'website' }],
    ['/honojs/website/v4.0.0', { owner: 'honojs', repo: 'website', version: 'v4.0.0' }],
    ['/honojs/website@v4.0.0', { owner: 'honojs', repo: 'website', version: 'v4.0.0' }],
    ['/honojs/website@release~4', { owner: 'honojs', repo: 'website', version: 'release~4' }],
    ['/a/b@v1@rc', { owner: 'a', repo: 'b', version: 'v1@rc' }],
    ['/group~sub/project', { owner: 'group~sub', repo: 'project' }],
    ['/vercel/next.js', { owner: 'vercel', repo: 'next.js' }],
  ])('is read from %s', (text, id) => {
    expect(parseLibraryId(text)).toEqual(id)
  })

  test.each([
    'a/b',
    '/a',
    '/a/',
    '//b',
    '/a/b/',
    '/a/b/c/d',
    '/a/../b',
    '/a/..',
    '/a/b/..',
    '/a/b@v1/v2',
    '/a/b@',
    '/a/@v1',
    '/a/b@..',
    '/a/b c',
    '/bars/\u0000x',
    '/bars/\u034Fx',
    '/bars/x\u3164',
    '/bars/x\u2800',
    '/a/b\n',
    '/a/b\u00a0',
    '/a/\u202Eb',
    '/a/b@v1\u200b',
    '/\ud800/b',
  ])('is rejected with invalid_library_id if it is %s', (text) => {
    expect(refusal(text)).toBe('invalid_library_id')
  })

  test('is quoted in an error without its control characters', () => {
    expect(() => parseLibraryId('/a/\u001b[2Jb')).toThrow(
      /^"\/a\/\[2Jb" is not a library id: it contains white space or a control/,
    )
  })

  test('must not be empty', () => {
    expect(refusal('')).toBe('validation_error')
  })

  test('has at most 500 characters: a longer one is rejected with validation_error, which does not quote it', () => {
    expect(parseLibraryId(`/a/${'b'.repeat(497)}`).repo).toHaveLength(497)
    expect(() => parseLibraryId(`/a/${'b'.repeat(498)}`)).toThrow(
      new AppError('validation_error', 'A library id must not be longer than 500 characters.'),
    )
    expect(refusal('b'.repeat(501))).toBe('validation_error')
  })

  test('is printed with @ before its version and read back the same', () => {
    const id = parseLibraryId('/a/b/v1')
    expect(printLibraryId(id)).toBe('/a/b@v1')
    expect(parseLibraryId(printLibraryId(id))).toEqual(id)
  })

  test('has one key for all spellings', () => {
    expect(libraryKey(parseLibraryId('/HonoJS/Website@v1'))).toBe(libraryKey(parseLibraryId('/honojs/website')))
  })

  test('has a key for its content, in which only the version is case-sensitive', () => {
    expect(versionKey(parseLibraryId('/HonoJS/Website@V1'))).toBe('/honojs/website@V1')
    expect(versionKey(parseLibraryId('/HonoJS/Website'))).toBe('/honojs/website')
  })

  test('contains ~ for each slash of a tag', () => {
    expect(versionName('release/1.0')).toBe('release~1.0')
    expect(versionName('refs/tags/v1')).toBe('v1')
  })
})

test.each([
  ['acme', 'anvils', 'anvils'],
  ['acme', 'Docs-Site', 'acme'],
  ['acme', 'handbook', 'acme'],
  ['acme', 'acme.github.io', 'acme'],
  ['acme', 'anvil-docs', 'anvil-docs'],
])('the repository /%s/%s without a title is named %s', (owner, repo, title) => {
  expect(repositoryTitle({ owner, repo })).toBe(title)
})

const name = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._+-]{0,20}$/).filter((text) => !text.includes('..') && !text.endsWith('.'))
const group = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('~'))
const ids = fc.record({ owner: group, repo: name, version: fc.option(name, { nil: undefined }) })

describe('the longer id of a library', () => {
  test('is read back as its git host and its shorter id, however it is printed', () => {
    fc.assert(
      fc.property(ids, name, ({ version, ...whole }, source) => {
        const id = version === undefined ? whole : { ...whole, version }
        const long = sourceId(source, id)
        const { owner, repo } = long
        const printed = [printLibraryId(long), `/${owner}/${repo}${version === undefined ? '' : `/${version}`}`]
        for (const text of printed) {
          expect(parseLibraryId(text)).toEqual(long)
          expect(readSourceId(parseLibraryId(text))).toEqual({ source: source.toLowerCase(), id })
        }
      }),
    )
  })

  test('is never that of a repository, whose name has no ~', () => {
    fc.assert(fc.property(ids, ({ version, ...id }) => readSourceId({ ...id, ...(version && { version }) }) === undefined))
  })

  test.each(['/gitlab/~project', '/gitlab/group~', '/gitlab/project', '/group~sub/project@release~4'])('is not %s', (text) => {
    expect(readSourceId(parseLibraryId(text))).toBeUndefined()
  })
})
