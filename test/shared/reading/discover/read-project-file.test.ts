import { describe, expect, test } from 'vitest'
import { readProjectFile } from '../../../../shared/reading/discover/read-project-file.ts'

const read = (text: string) => readProjectFile(Buffer.from(text), 'carrel.json')

describe('the owner’s settings file', () => {
  test('sets how a repository is read', () => {
    const settings = {
      projectTitle: 'Acme',
      description: 'Tools for coyotes',
      branch: 'main',
      folders: ['docs'],
      excludeFolders: ['**/internal'],
      excludeFiles: ['draft.md'],
      rules: ['Use the sync client.'],
      previousVersions: [{ tag: 'v1.0.0' }, { tag: 'v2.0.0' }],
      branchVersions: [{ branch: 'next' }],
    }
    expect(read(JSON.stringify(settings))).toEqual({ settings, problems: [] })
  })

  test('names earlier versions by their tags, whatever their titles', () => {
    const previousVersions = [
      { tag: 'v1.0.0', title: 'The long first release '.repeat(10) },
      { tag: 'v2.0.0', title: 2 },
    ]
    expect(read(JSON.stringify({ previousVersions }))).toEqual({
      settings: { previousVersions: [{ tag: 'v1.0.0' }, { tag: 'v2.0.0' }] },
      problems: [],
    })
  })

  test('may begin with a byte order mark, also in UTF-16', () => {
    const text = '\uFEFF{"branch": "main"}'
    for (const bytes of [Buffer.from(text), Buffer.from(text, 'utf16le')]) {
      expect(readProjectFile(bytes, 'carrel.json')).toEqual({ settings: { branch: 'main' }, problems: [] })
    }
  })

  test('may have unknown fields', () => {
    expect(read('{"$schema": "x", "url": "u", "public_key": "k", "__proto__": {"branch": "x"}}')).toEqual({
      settings: {},
      problems: [],
    })
  })

  test('loses only the invalid field, and reports it', () => {
    expect(read('{"projectTitle": 7, "description": "Fine words", "rules": "no list"}')).toMatchInlineSnapshot(`
      {
        "problems": [
          "projectTitle in carrel.json must be a text; the field is ignored",
          "rules in carrel.json must be a list; the field is ignored",
        ],
        "settings": {
          "description": "Fine words",
        },
      }
    `)
  })

  test('loses only the item of a list that is wrong', () => {
    expect(
      read(
        '{"excludeFiles": ["docs/a.md", "b.md"], "folders": [7, "docs"], "previousVersions": [{"title": "x"}, {"tag": "v1"}]}',
      ),
    ).toMatchInlineSnapshot(`
      {
        "problems": [
          "folders.0 in carrel.json must be a text; the item is ignored",
          "excludeFiles.0 in carrel.json must be a file name without a path; the item is ignored",
          "previousVersions.0.tag in carrel.json is required; the item is ignored",
        ],
        "settings": {
          "excludeFiles": [
            "b.md",
          ],
          "folders": [
            "docs",
          ],
          "previousVersions": [
            {
              "tag": "v1",
            },
          ],
        },
      }
    `)
  })

  test.each([
    ['folders', 200, (n: number) => `docs/${n}`],
    ['excludeFolders', 200, (n: number) => `internal/${n}`],
    ['excludeFiles', 200, (n: number) => `${n}.md`],
    ['rules', 50, (n: number) => `Rule ${n}`],
    ['previousVersions', 100, (n: number) => ({ tag: `v${n}.0.0` })],
    ['branchVersions', 100, (n: number) => ({ branch: `next-${n}` })],
  ])('keeps the first items of %s if there are more than %i, and reports it', (field, most, item) => {
    const items = Array.from({ length: most + 2 }, (_, n) => item(n))
    expect(read(JSON.stringify({ [field]: items.slice(0, most) }))).toEqual({
      settings: { [field]: items.slice(0, most) },
      problems: [],
    })
    expect(read(JSON.stringify({ projectTitle: 'Acme', [field]: [7, ...items] }))).toEqual({
      settings: { projectTitle: 'Acme', [field]: items.slice(0, most - 1) },
      problems: [
        `${field} in carrel.json holds ${most + 3} items; only the first ${most} are used`,
        expect.stringMatching(new RegExp(`^${field}.0 in carrel.json must be .*; the item is ignored$`)),
      ],
    })
  })

  test.each([
    [{ description: ' ' }, 'description in carrel.json must not be empty; the field is ignored'],
    [{ branch: 'x'.repeat(256) }, 'branch in carrel.json must not be longer than 255 characters; the field is ignored'],
    [
      { excludeFolders: ['*a'.repeat(17)] },
      'excludeFolders.0 in carrel.json must not have more than 16 wildcards or 32 segments; the item is ignored',
    ],
    [{ branchVersions: ['next'] }, 'branchVersions.0 in carrel.json must be a JSON object; the item is ignored'],
  ])('is reported with the name of the file and the field: $0', (settings, problem) => {
    expect(read(JSON.stringify(settings)).problems).toEqual([problem])
  })

  test.each([
    [21, 'carrel.json has 1 more mistake'],
    [50, 'carrel.json has 30 more mistakes'],
  ])('is reported with its first twenty mistakes if it has %i', (mistakes, last) => {
    const { problems } = read(JSON.stringify({ rules: Array(mistakes).fill(7) }))
    expect(problems.map((problem) => problem.split(' ')[0])).toEqual([
      ...Array.from({ length: 20 }, (_, index) => `rules.${index}`),
      'carrel.json',
    ])
    expect(problems.at(-1)).toBe(last)
  })

  test('is ignored if it is not text', () => {
    expect(readProjectFile(Buffer.alloc(20), 'context7.json')).toEqual({
      settings: {},
      problems: ['context7.json is not a JSON object; it is ignored'],
    })
  })

  test.each(['', '{', '{"folders": ["docs",]}', '[]', '7', 'null', `${'['.repeat(100_000)}`])(
    'is ignored as a whole if it is no JSON object',
    (text) => {
      expect(read(text)).toEqual({
        settings: {},
        problems: ['carrel.json is not a JSON object; it is ignored'],
      })
    },
  )
})
