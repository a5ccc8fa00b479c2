import { describe, expect, test } from 'vitest'
import { AppError } from '../../../../shared/errors.ts'
import { authorization, tokenSecrets } from '../../../../shared/reading/git/git-access.ts'
import { defaultGitHosts, type GitHosts } from '../../../../shared/reading/git/git-hosts.ts'
import { blobUrl, rawUrl } from '../../../../shared/reading/git/platform-paths.ts'
import { movedTo, parseRepoUrl } from '../../../../shared/reading/git/repo-address.ts'
import {
  addressOfPage,
  addressWithoutLine,
  fileOfAddress,
  lineOfAddress,
  linesOfAddress,
} from '../../../../shared/text/file-of-address.ts'

const hosts: GitHosts = {
  ...defaultGitHosts,
  others: [
    { name: 'enterprise', kind: 'github', baseUrl: 'https://ghe.example.com' },
    { name: 'codeberg', kind: 'gitea', baseUrl: 'https://codeberg.org' },
    { name: 'bitbucket', kind: 'bitbucket', baseUrl: 'https://bitbucket.org' },
    { name: 'stash', kind: 'bitbucket-server', baseUrl: 'https://stash.example.com/bitbucket' },
    { name: 'azure', kind: 'azure', baseUrl: 'https://dev.azure.com' },
    { name: 'kernel', kind: 'git', baseUrl: 'https://git.kernel.org', user: 'reader' },
  ],
}
const commit = 'c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00'

describe.each([
  [
    'GitHub Enterprise',
    ['https://ghe.example.com/acme/docs', 'ghe.example.com/acme/docs.git', 'git@ghe.example.com:acme/docs.git'],
    '/acme/docs',
    'https://ghe.example.com/acme/docs.git',
    `https://ghe.example.com/acme/docs/blob/${commit}/docs/a%20b.md#L12`,
    `https://ghe.example.com/acme/docs/raw/${commit}/docs/a%20b.md`,
  ],
  [
    'Gitea',
    ['https://codeberg.org/forgejo/docs', 'ssh://git@codeberg.org/forgejo/docs.git'],
    '/forgejo/docs',
    'https://codeberg.org/forgejo/docs.git',
    `https://codeberg.org/forgejo/docs/src/commit/${commit}/docs/a%20b.md#L12`,
    `https://codeberg.org/forgejo/docs/raw/commit/${commit}/docs/a%20b.md`,
  ],
  [
    'Bitbucket Cloud',
    ['https://bitbucket.org/atlassian/aui', 'git@bitbucket.org:atlassian/aui.git'],
    '/atlassian/aui',
    'https://bitbucket.org/atlassian/aui.git',
    `https://bitbucket.org/atlassian/aui/src/${commit}/docs/a%20b.md#lines-12`,
    `https://bitbucket.org/atlassian/aui/raw/${commit}/docs/a%20b.md`,
  ],
  [
    'Bitbucket Data Center',
    [
      'https://stash.example.com/bitbucket/projects/WEB/repos/site',
      'https://stash.example.com/bitbucket/scm/web/site.git',
      'https://stash.example.com/bitbucket/projects/web/repos/site?at=refs%2Fheads%2Fmain',
    ],
    '/web/site',
    'https://stash.example.com/bitbucket/scm/web/site.git',
    `https://stash.example.com/bitbucket/projects/WEB/repos/site/browse/docs/a%20b.md?at=${commit}#12`,
    `https://stash.example.com/bitbucket/projects/WEB/repos/site/raw/docs/a%20b.md?at=${commit}`,
  ],
  [
    'Azure DevOps',
    ['https://dev.azure.com/acme/My%20Project/_git/docs', 'https://acme@dev.azure.com/acme/My%20Project/_git/docs'],
    '/acme~My+Project/docs',
    'https://dev.azure.com/acme/My%20Project/_git/docs',
    `https://dev.azure.com/acme/My%20Project/_git/docs?version=GC${commit}&path=/docs/a%20b.md&line=12&lineEnd=13&lineStartColumn=1&lineEndColumn=1`,
    undefined,
  ],
  [
    'a git server of no known kind',
    ['https://git.kernel.org/pub/scm/docs/man.git', 'git.kernel.org/pub/scm/docs/man.git/'],
    '/pub~scm~docs/man',
    'https://git.kernel.org/pub/scm/docs/man.git',
    `https://git.kernel.org/pub/scm/docs/man.git#/blob/${commit}/docs/a%20b.md`,
    undefined,
  ],
])('a repository on %s', (_, addresses, id, cloneUrl, blob, raw) => {
  test.each(addresses)('has its id and the address of git: %s', (text) => {
    const address = parseRepoUrl(text, hosts)
    expect(`/${address.id.owner}/${address.id.repo}`).toBe(id)
    expect(address.cloneUrl).toBe(cloneUrl)
    expect(parseRepoUrl(address.webUrl, hosts)).toEqual(address)
    expect(movedTo(address, `${cloneUrl}/info/refs?service=git-upload-pack`)).toEqual(address)
  })

  test('has addresses of its files, from which their path and line can be read', () => {
    const address = parseRepoUrl(addresses[0] ?? '', hosts)
    expect(blobUrl(address, commit, 'docs/a b.md', { first: 12 })).toBe(blob)
    expect(rawUrl(address, commit, 'docs/a b.md')).toBe(raw)
    const page = blobUrl(address, commit, 'docs/a b.md')
    expect(addressWithoutLine(blob)).toBe(page)
    expect(fileOfAddress(blob)).toBe('docs/a b.md')
    expect(lineOfAddress(blob)).toBe(blob.includes('#/blob/') ? undefined : 12)
    for (const lines of [{ first: 12 }, { first: 12, last: 40 }])
      expect(linesOfAddress(blobUrl(address, commit, 'docs/a b.md', lines))).toEqual(blob.includes('#/blob/') ? undefined : lines)
    expect(addressWithoutLine(blobUrl(address, commit, 'docs/a b.md', { first: 12, last: 40 }))).toBe(page)
    expect(addressOfPage(page, 'other/b.md')).toBe(blobUrl(address, commit, 'other/b.md'))
  })
})

test.each([
  ['https://github.com/owner/repo', '#L12-L40'],
  ['https://gitlab.com/owner/repo', '#L12-40'],
  ['https://codeberg.org/owner/repo', '#L12-L40'],
  ['https://bitbucket.org/owner/repo', '#lines-12:40'],
  ['https://dev.azure.com/acme/kit/_git/repo', '&line=12&lineEnd=41&lineStartColumn=1&lineEndColumn=1'],
])('a link to lines of %s ends with %s', (text, end) => {
  expect(blobUrl(parseRepoUrl(text, hosts), commit, 'a.py', { first: 12, last: 40 }).endsWith(`a.py${end}`)).toBe(true)
})

test.each([
  ['Gitea', 'https://codeberg.org/forgejo/docs/src/branch/next/docs/user', 'next', 'docs/user'],
  ['Bitbucket Cloud', 'https://bitbucket.org/atlassian/aui/src/next/docs/user', 'next', 'docs/user'],
])('the folder of a branch on %s is read from its address', (_, text, branch, folder) => {
  expect(parseRepoUrl(text, hosts)).toMatchObject({ branch, folder })
})

test.each([
  ['no repository of Data Center', 'https://stash.example.com/bitbucket/dashboard', 'names no repository'],
  ['a path without _git', 'https://dev.azure.com/acme/web', 'names no repository'],
  ['a token', 'https://secret@codeberg.org/forgejo/docs', 'holds a user name or token'],
  ['a name that is an option of git', 'https://codeberg.org/forgejo/--upload-pack=x', 'cannot be the name'],
  ['a parent folder', 'https://git.kernel.org/pub/../secret', 'cannot be the name'],
  ['a local path', 'file:///etc/passwd', 'neither owner/repo nor'],
  ['a helper of git', 'ext::sh -c id', 'spaces'],
  ['a host that is only like one of the list', 'https://codeberg.org.example/forgejo/docs', 'Repositories are read from'],
])('an address with %s is refused', (_, text, words) => {
  expect(() => parseRepoUrl(text, hosts)).toThrow(AppError)
  expect(() => parseRepoUrl(text, hosts)).toThrow(words)
})

test('the refusal of another host lists all hosts of the settings', () => {
  expect(() => parseRepoUrl('https://example.com/a/b.git', hosts)).toThrow(
    'https://github.com/, https://gitlab.com/, https://ghe.example.com/, https://codeberg.org/',
  )
})

test('a source limits a repository to the hosts of its kind, and `git` to the list', () => {
  expect(parseRepoUrl('https://ghe.example.com/acme/docs', hosts, 'github').host.name).toBe('enterprise')
  expect(parseRepoUrl('atlassian/aui', hosts, 'bitbucket').webUrl).toBe('https://bitbucket.org/atlassian/aui')
  expect(parseRepoUrl('https://codeberg.org/forgejo/docs', hosts, 'git').host.name).toBe('codeberg')
  expect(() => parseRepoUrl('https://codeberg.org/forgejo/docs', hosts, 'bitbucket')).toThrow('is not a repository of bitbucket')
  expect(() => parseRepoUrl('https://github.com/a/b', hosts, 'git')).toThrow('is not a repository of git')
})

test('a token is sent with the user name of its kind, or that of the host', () => {
  const userOf = (text: string) => Buffer.from(authorization(parseRepoUrl(text, hosts), 'secret').slice(6), 'base64').toString()
  expect(userOf('https://ghe.example.com/acme/docs')).toBe('x-access-token:secret')
  expect(userOf('https://bitbucket.org/atlassian/aui')).toBe('x-token-auth:secret')
  expect(userOf('https://git.kernel.org/pub/man.git')).toBe('reader:secret')
})

test('Bitbucket Data Center gets a bearer token, the only form that its tokens of a project have, or the password of a user', () => {
  const address = parseRepoUrl('https://stash.example.com/bitbucket/scm/web/site.git', hosts)
  expect(authorization(address, 'secret')).toBe('Bearer secret')
  expect(tokenSecrets(address, 'secret')).toEqual(['secret', 'secret'])
  const ofUser = { ...address, host: { ...address.host, user: 'ada' } }
  expect(authorization(ofUser, 'secret')).toBe(`Basic ${Buffer.from('ada:secret').toString('base64')}`)
})
