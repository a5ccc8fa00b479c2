import { describe, expect, test } from 'vitest'
import { readProjectFile } from '../../../../shared/ingest/discover/project-file.ts'

const read = (text: string) => readProjectFile(Buffer.from(text))

describe('the owner’s settings file', () => {
  test('says how a repository is read', () => {
    const settings = {
      projectTitle: 'Acme',
      description: 'Tools for coyotes',
      branch: 'main',
      folders: ['docs'],
      excludeFolders: ['**/internal'],
      excludeFiles: ['draft.md'],
      rules: ['Use the sync client.'],
      previousVersions: [{ tag: 'v1.0.0', title: 'One' }, { tag: 'v2.0.0' }],
      branchVersions: [{ branch: 'next' }],
    }
    expect(read(JSON.stringify(settings))).toEqual({ settings, problems: [] })
  })

  test('may begin with a byte order mark, also in UTF-16', () => {
    const text = '\uFEFF{"branch": "main"}'
    for (const bytes of [Buffer.from(text), Buffer.from(text, 'utf16le')]) {
      expect(readProjectFile(bytes)).toEqual({ settings: { branch: 'main' }, problems: [] })
    }
  })

  test('may hold fields that mean nothing here', () => {
    expect(read('{"$schema": "x", "url": "u", "public_key": "k", "__proto__": {"branch": "x"}}')).toEqual({
      settings: {},
      problems: [],
    })
  })

  test('loses only the field that is wrong, and says which', () => {
    expect(read('{"projectTitle": 7, "description": "Fine words", "rules": "no list"}')).toMatchInlineSnapshot(`
      {
        "problems": [
          "projectTitle: Invalid input: expected string, received number; it is ignored",
          "rules: Invalid input: expected array, received string; it is ignored",
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
          "folders.0: Invalid input: expected string, received number; it is ignored",
          "excludeFiles.0: a file name without a path is expected; it is ignored",
          "previousVersions.0.tag: Invalid input: expected string, received undefined; it is ignored",
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

  test('is ignored where it is no text', () => {
    expect(readProjectFile(Buffer.alloc(20))).toEqual({
      settings: {},
      problems: ['the file is not a JSON object; it is ignored'],
    })
  })

  test.each(['', '{', '[]', '7', 'null', `${'['.repeat(100_000)}`])(
    'is ignored as a whole where it is no JSON object',
    (text) => {
      expect(read(text)).toEqual({ settings: {}, problems: ['the file is not a JSON object; it is ignored'] })
    },
  )
})
