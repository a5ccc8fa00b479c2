import { expect, test } from 'vitest'
import { latestVersions, siteVersions } from '../../../../shared/reading/discover/site-versions.ts'

const shownBy = async (list: string, config: string, path = 'site/versions.json') => {
  const files = [
    { path, text: list },
    { path: 'site/docusaurus.config.ts', text: config },
  ]
  return (await siteVersions(files)).map(({ shown }) => shown ?? 'current')
}

test.each<[string, string, string]>([
  ['the newest of the list', '{ docs: { path: "docs", id: "api" } }', 'version-2.0'],
  [
    'the documents without a version',
    `{ presets: [['classic', { docs: { lastVersion: 'current', versions: {} } }]] }`,
    'current',
  ],
  ['an older one', `{ docs: { versions: { current: { label: 'next' } }, lastVersion: "1.0" } }`, 'version-1.0'],
  ['the newest, if the configuration names none of the list', `{ docs: { lastVersion: '0.1' } }`, 'version-2.0'],
  ['the newest, if the name is computed', '{ docs: { lastVersion: versions[0] } }', 'version-2.0'],
  ['the newest, if the name is that of other documents', `{ docs: { id: 'api', lastVersion: '1.0' } }`, 'version-2.0'],
  ['that of the default documents', `{ plugins: [['x', { id: 'default', lastVersion: '1.0' }]] }`, 'version-1.0'],
])('a site shows %s', async (_, config, expected) => {
  expect(await shownBy('["2.0", "1.0"]', `export default ${config}`)).toEqual([expected])
})

test('the documents of an id have a list of their own', async () => {
  const config = `{ plugins: [['x', { lastVersion: '1.0', id: 'api' }], ['x', { id: 'b', lastVersion: 'current' }]] }`
  expect(await shownBy('["2.0", "1.0"]', config, 'site/api_versions.json')).toEqual(['version-1.0'])
})

test.each(['', '{}', '[]', '[1]', '["1.0"', '[["1.0"]]'])('a list such as %j names no versions', async (list) => {
  expect(await shownBy(list, '')).toEqual([])
})

test.each<[string, string, string[]]>([
  ['config.yaml', 'params:\n  latest_stable_version: v3.7\n  version: x', ['v3.7']],
  ['site/hugo.toml', '[params]\nlatestVersion = "2.1"', ['2.1']],
  ['config/_default/params.yaml', 'latest_version: v2', ['v2']],
  ['other.yaml', 'latest_version: v2', []],
  ['hugo.yaml', 'latest_version: see below', []],
])('the latest version of a Hugo site is a parameter: %s, %j', (path, text, expected) => {
  expect([...latestVersions([{ path, text }])]).toEqual(expected)
})
