import { describe, expect, test } from 'vitest'
import { versionFolders } from '../../../../shared/reading/discover/version-folders.ts'

const outdated = (paths: string[]): Record<string, string> =>
  Object.fromEntries(
    [...versionFolders(paths)].map(([folder, { newest, isUnreleased }]) => [
      folder,
      `${isUnreleased ? 'unreleased, ' : ''}${newest}`,
    ]),
  )
const pages = ['guide.md', 'api/routes.md', 'api/hooks.md']
const versions = (...names: string[]): string[] => names.flatMap((name) => pages.map((page) => `docs/${name}/${page}`))

describe('folders of older versions', () => {
  test.each<[string[], Record<string, string>]>([
    [['v1', 'v2', 'guide'], { v1: 'v2' }],
    [['version-1.9', 'version-1.10', 'version-2.x'], { 'version-1.9': 'version-2.x', 'version-1.10': 'version-2.x' }],
    [['1.9', '1.10'], { '1.9': '1.10' }],
    [['2.x', '3.x'], { '2.x': '3.x' }],
    [['3x', '4x', '5x'], { '3x': '5x', '4x': '5x' }],
    [['5', '6', '10'], { '5': '10', '6': '10' }],
    [['1.7', '8', '9'], { '1.7': '9', '8': '9' }],
    [['5', '6', 'next'], { '5': '6', next: 'unreleased, 6' }],
    [['1.0', '1.0.1'], { '1.0': '1.0.1' }],
    [['v2.1', 'v2', 'v1.12'], { v2: 'v2.1', 'v1.12': 'v2.1' }],
    [['v5', 'v6-beta'], { 'v6-beta': 'unreleased, v5' }],
    [['1.0', '2.0', 'next'], { '1.0': '2.0', next: 'unreleased, 2.0' }],
    [['latest', '1.0'], { '1.0': 'latest' }],
    [['current', 'version-1.0'], { 'version-1.0': 'current' }],
    [['2024-11-05', '2025-06-18', 'draft'], { '2024-11-05': '2025-06-18', draft: 'unreleased, 2025-06-18' }],
  ])('are those of %j with the same documents: %j', (names, expected) => {
    const named = Object.entries(expected).map(([folder, newest]) => [`docs/${folder}`, newest.replace(/(\S+)$/, 'docs/$1')])
    expect(outdated(versions(...names))).toEqual(Object.fromEntries(named))
  })

  test.each<[string, string[]]>([
    ['a single version', versions('v1')],
    ['years', versions('2023', '2024')],
    ['chapters', versions('01', '02')],
    [
      'chapters with few files of the same name',
      ['1/a.md', '1/exercises.md', '1/notes.md', '2/b.md', '2/exercises.md', '2/notes.md'],
    ],
    ['lessons with the same files', versions('1', '2').map((path) => path.replace('docs/', 'lessons/'))],
    ['numbered chapters with names', versions('1-intro', '2-setup')],
    ['stages of an API', versions('v1alpha1', 'v1beta1')],
    ['versions of something else', versions('python3', 'python2')],
    ['different spellings', versions('v1', 'version-2')],
    ['subjects', ['docs/v8-engine/a.md', 'docs/v1/a.md', 'docs/2fa/a.md', 'docs/3d/a.md']],
    ['different documents', ['docs/v1/install.md', 'docs/v2/routing.md', 'docs/2x/a.md', 'docs/3x/b.md']],
    ['index pages only', ['docs/current/index.md', 'docs/next/index.md']],
    ['notes about versions', ['releases/1.0/notes.md', 'releases/1.1/notes.md']],
    ['notes about versions to come', ['docs/prerelease/1.3/index.qmd', 'docs/prerelease/1.3/a.md', 'docs/prerelease/1.4/a.md']],
    ['posts', ['posts/2024-01-01/index.md', 'posts/2024-01-02/index.md', 'log/2024-01-01/a.md', 'log/2024-01-02/a.md']],
  ])('are none if there are only %s', (_, paths) => {
    expect(outdated(paths)).toEqual({})
  })

  test('are recognised next to a `latest` that has a front page only', () => {
    const paths = ['docs/latest/index.md', 'docs/1.0/a.md', 'docs/2.0/a.md', 'docs/2.0/index.md']
    expect(outdated(paths)).toEqual({ 'docs/1.0': 'docs/2.0' })
  })

  test('are recognised if their documents have moved to other folders', () => {
    expect(outdated(['v1/routing.md', 'v1/forms.md', 'v2/guide/routing.md', 'v2/guide/forms.md'])).toEqual({ v1: 'v2' })
  })

  test('are all versioned_docs of Docusaurus, if the documents next to them or above are the same', () => {
    const versioned = ['website/versioned_docs/version-1.0/a.md', 'website/versioned_docs/version-2.0/a.md']
    expect(outdated([...versioned, 'website/docs/a.md'])).toEqual({ 'website/versioned_docs': 'website/docs' })
    expect(outdated([...versioned, 'docs/a.md'])).toEqual({ 'website/versioned_docs': 'docs' })
    expect(outdated(versioned)).toEqual({ 'website/versioned_docs/version-1.0': 'website/versioned_docs/version-2.0' })
  })
})

describe('versions that a site shows', () => {
  const docs = (folder: string) => pages.map((page) => `${folder}/${page}`)
  const folder = 'site/versioned_docs'
  const names = ['version-3.0-rc', 'version-2.0', 'version-1.0']
  const paths = [...docs('site/docs'), ...names.flatMap((name) => docs(`${folder}/${name}`))]
  const outdatedBeside = (shown: string | undefined, all = paths, id = folder) =>
    Object.fromEntries(
      [...versionFolders(all, { sites: [{ folder: id, names, shown }], latest: new Set() })].map(([path, other]) => [
        path,
        Object.values(other),
      ]),
    )

  test('are read instead of the unreleased documents next to them', () => {
    expect(outdatedBeside('version-2.0')).toEqual({
      'site/docs': [`${folder}/version-2.0`, true],
      [`${folder}/version-3.0-rc`]: [`${folder}/version-2.0`, true],
      [`${folder}/version-1.0`]: [`${folder}/version-2.0`, false],
    })
  })

  test('are read in translations, too', () => {
    const translations = 'i18n/de/docusaurus-plugin-content-docs-api'
    const all = ['current', 'version-2.0'].flatMap((name) => docs(`${translations}/${name}`))
    expect(outdatedBeside('version-2.0', all, 'api_versioned_docs')).toEqual({
      [`${translations}/current`]: [`${translations}/version-2.0`, true],
    })
  })

  test('are the documents next to them if the site says so or if the shown version does not exist', () => {
    const others = { [folder]: ['site/docs', false] }
    expect(outdatedBeside(undefined)).toEqual(others)
    expect(outdatedBeside('version-4.0')).toEqual(others)
  })
})

test('versions that are newer than the latest of the site are not released', () => {
  const paths = versions('v3.6', 'v3.7', 'v3.8')
  const others = [...versionFolders(paths, { sites: [], latest: new Set(['v3.7']) })]
  expect(others).toEqual([
    ['docs/v3.6', { newest: 'docs/v3.7', isUnreleased: false }],
    ['docs/v3.8', { newest: 'docs/v3.7', isUnreleased: true }],
  ])
})

test('thousands of versioned_docs and paths of hundreds of folders are compared in linear time', () => {
  const sites = Array.from({ length: 30_000 }, (_, n) => `p${n % 3_000}/versioned_docs/version-${Math.floor(n / 3_000)}/a.md`)
  const deep = Array.from({ length: 2_000 }, (_, n) => `${'v1/en/'.repeat(300)}x${n}.md`)
  expect(versionFolders([...sites, ...deep]).size).toBe(27_000)
})
