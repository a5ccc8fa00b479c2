import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AppError } from '../../../../shared/errors.ts'
import { printLibraryId } from '../../../../shared/library.ts'
import { defaultGitHosts, type GitHosts, listHosts } from '../../../../shared/reading/git/git-hosts.ts'
import { blobUrl } from '../../../../shared/reading/git/platform-paths.ts'
import { movedTo, parseRepoUrl, type RepoAddress } from '../../../../shared/reading/git/repo-address.ts'

const selfManaged: GitHosts = {
  github: { baseUrl: 'http://127.0.0.1:8930' },
  gitlab: { baseUrl: 'https://git.example.com/gitlab' },
}

const refusal = (attempt: () => unknown): string => {
  try {
    attempt()
  } catch (error) {
    return error instanceof AppError && error.code === 'validation_error' ? error.message : String(error)
  }
  return 'accepted'
}

describe('the address of a repository', () => {
  test.each([
    ['https://github.com/honojs/website', '/honojs/website', 'https://github.com/honojs/website.git'],
    ['https://github.com/honojs/website.git', '/honojs/website', 'https://github.com/honojs/website.git'],
    ['https://github.com/honojs/website/', '/honojs/website', 'https://github.com/honojs/website.git'],
    ['https://github.com/vercel/next.js', '/vercel/next.js', 'https://github.com/vercel/next.js.git'],
    ['https://github.com/octo/.github', '/octo/.github', 'https://github.com/octo/.github.git'],
    ['https://gitlab.com/group/project', '/group/project', 'https://gitlab.com/group/project.git'],
    ['https://gitlab.com/a/b/c/project.git', '/a~b~c/project', 'https://gitlab.com/a/b/c/project.git'],
  ])('is read from %s as library %s, cloned from %s', (repoUrl, id, cloneUrl) => {
    const address = parseRepoUrl(repoUrl, defaultGitHosts)
    expect([printLibraryId(address.id), address.cloneUrl]).toEqual([id, cloneUrl])
  })

  test.each([
    ['https://github.com/honojs/website/tree/next', 'next'],
    ['https://gitlab.com/a/b/project/-/tree/v1.2/', 'v1.2'],
    ['https://github.com/honojs/website', undefined],
  ])('names the branch $1 in $0', (repoUrl, branch) => {
    expect(parseRepoUrl(repoUrl, defaultGitHosts).branch).toBe(branch)
  })

  test.each([
    ['honojs/website', 'https://github.com/honojs/website'],
    ['honojs/website.git', 'https://github.com/honojs/website'],
    ['honojs/website/', 'https://github.com/honojs/website'],
    ['honojs/website/tree/next', 'https://github.com/honojs/website', 'next'],
    ['honojs/website/tree/next/docs/api', 'https://github.com/honojs/website', 'next', 'docs/api'],
    ['github.com/honojs/website', 'https://github.com/honojs/website'],
    ['gitlab.com/a/b/c/project', 'https://gitlab.com/a/b/c/project'],
    ['http://github.com/honojs/website', 'https://github.com/honojs/website'],
    ['https://www.github.com/honojs/website/', 'https://github.com/honojs/website'],
    ['http://www.github.com/honojs/website/tree/next/docs', 'https://github.com/honojs/website', 'next', 'docs'],
    ['www.gitlab.com/a/b/project', 'https://gitlab.com/a/b/project'],
    ['git@github.com:honojs/website.git', 'https://github.com/honojs/website'],
    ['git@gitlab.com:a/b/project.git', 'https://gitlab.com/a/b/project'],
    ['ssh://git@github.com/honojs/website', 'https://github.com/honojs/website'],
    ['https://github.com/honojs/website.git/', 'https://github.com/honojs/website'],
    ['https://github.com/honojs/website/tree/next', 'https://github.com/honojs/website', 'next'],
    ['github.com/honojs/website/tree/v4.1.0/docs/api/', 'https://github.com/honojs/website', 'v4.1.0', 'docs/api'],
    ['https://gitlab.com/a/project/-/tree/main/docs', 'https://gitlab.com/a/project', 'main', 'docs'],
    ['https://gitlab.com/a/project/-/tree/main?ref_type=heads', 'https://gitlab.com/a/project', 'main'],
    [' honojs/website?tab=readme-ov-file#usage ', 'https://github.com/honojs/website'],
    ['https://github.com/honojs/website/#readme\n', 'https://github.com/honojs/website'],
    ['honojs/website/tree/next%2F1/a%20b/%C3%A9', 'https://github.com/honojs/website', 'next', '1/a b/é'],
  ])('is normalized from %s to %s', (repoUrl, webUrl, branch?: string, folder?: string) => {
    const address = parseRepoUrl(repoUrl, defaultGitHosts)
    expect([address.webUrl, address.branch, address.folder]).toEqual([webUrl, branch, folder])
  })

  test('uses the configured hosts for short forms', () => {
    expect(parseRepoUrl('owner/repo', selfManaged).webUrl).toBe('http://127.0.0.1:8930/owner/repo')
    expect(parseRepoUrl('owner/repo', selfManaged, 'gitlab').webUrl).toBe('https://git.example.com/gitlab/owner/repo')
    expect(parseRepoUrl('owner/repo/-/tree/main/docs', selfManaged, 'gitlab')).toMatchObject({
      webUrl: 'https://git.example.com/gitlab/owner/repo',
      branch: 'main',
      folder: 'docs',
    })
    expect(parseRepoUrl('git.example.com/gitlab/team/docs', selfManaged).webUrl).toBe('https://git.example.com/gitlab/team/docs')
    expect(parseRepoUrl('git@git.example.com:team/docs.git', selfManaged).webUrl).toBe('https://git.example.com/gitlab/team/docs')
    expect(refusal(() => parseRepoUrl('git@github.com:owner/repo.git', selfManaged))).toContain('neither owner/repo nor')
  })

  test.each([
    ['https://GitHub.com/honojs/hono', 'https://github.com/honojs/hono'],
    ['https://github.com./honojs/hono', 'https://github.com/honojs/hono'],
    ['https://pkg.go.dev/github.com/gin-gonic/gin/binding', 'https://github.com/gin-gonic/gin'],
    ['https://web.archive.org/web/2025/https://github.com/honojs/hono/issues', 'https://github.com/honojs/hono'],
    ['git://github.com/honojs/hono.git', 'https://github.com/honojs/hono.git'],
    ['github.com:honojs/hono', 'https://github.com/honojs/hono'],
    ['https://github.com/honojs/hono.git#v4', 'https://github.com/honojs/hono.git'],
    ['https://github.com/honojs/hono/issues/12', 'https://github.com/honojs/hono'],
    ['https://github.com/honojs/hono/blob/main/README.md', 'https://github.com/honojs/hono/tree/main'],
    ['https://github.com/honojs/hono/blob/main/docs/api/app.md#L3', 'https://github.com/honojs/hono/tree/main/docs/api'],
    ['https://gitlab.com/a/b/project/-/blob/main/docs/x.md', 'https://gitlab.com/a/b/project/-/tree/main/docs'],
    ['https://gitlab.com/a/project/-/issues', 'https://gitlab.com/a/project'],
    ['https://gitlab.com/a/b/c/tree/main', 'https://gitlab.com/a/b/c/-/tree/main'],
    ['gitlab.com/a/project/tree/v1.2/docs/api', 'https://gitlab.com/a/project/-/tree/v1.2/docs/api'],
    ['https://gitlab.com/a/b/project/blob/main/docs/x.md', 'https://gitlab.com/a/b/project/-/tree/main/docs'],
    ['https://gitlab.com/a/project/tree', 'https://gitlab.com/a/project'],
    ['https://githb.com/honojs/hono', 'https://github.com/honojs/hono'],
    ['https://github.com/honojs/hono/tree/main/my docs', 'https://github.com/honojs/hono'],
    ['https://github.com/honojs/hono/tree/main/döcs', 'https://github.com/honojs/hono'],
    ['https://gitlab.com/a/project/-/tree/main/my docs/api', 'https://gitlab.com/a/project'],
    ['https://github.com/honojs/hono and more', 'https://github.com/honojs/hono'],
    ['honojs/hono/tree/main/my docs', 'https://github.com/honojs/hono'],
    ['honojs/hono and more', 'https://github.com/honojs/hono'],
    ['https://github.com/honojs/\u200bhono/tree/main/docs', 'https://github.com/honojs/hono/tree/main/docs'],
    ['/honojs/hono', 'https://github.com/honojs/hono'],
  ])('is rejected if it is %j, with the nearest address, %s', (repoUrl, nearest) => {
    expect(refusal(() => parseRepoUrl(repoUrl, defaultGitHosts))).toContain(` Did you mean ${nearest}?`)
  })

  test.each(['https://github.com/owner/repö', 'owner/repö', 'https://github.com/my owner/repo'])(
    'is rejected if it is %j, without an address of another repository',
    (repoUrl) => {
      expect(refusal(() => parseRepoUrl(repoUrl, defaultGitHosts))).not.toContain('Did you mean')
    },
  )

  test.each([
    'https://github.com/owner/repo',
    'https://github.com/owner/repo/blob/main/README.md',
    'git@github.com:owner/repo.git',
  ])('is not taken for a typo of gitlab.com if another host replaces github.com: %j', (repoUrl) => {
    const hosts = { ...defaultGitHosts, github: selfManaged.github }
    expect(refusal(() => parseRepoUrl(repoUrl, hosts))).not.toContain('Did you mean')
  })

  test('is in any case one on an allowed host, or rejected, and its normalized form stays the same', () => {
    const hosts = listHosts(defaultGitHosts).map(({ baseUrl }) => baseUrl)
    const part = fc.oneof(
      fc.constantFrom(
        'https://',
        'ssh://',
        'git@',
        'github.com',
        'gitlab.com',
        '/',
        ':',
        '@',
        '-',
        'tree',
        'blob',
        '.git',
        '..',
        '.',
        '?',
        '#',
        '%2e',
        '127.1',
      ),
      fc.string({ maxLength: 8 }),
      fc.string({ unit: 'grapheme', maxLength: 4 }),
      fc.webUrl(),
    )
    const text = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''))
    const check = (repoUrl: string) => {
      let address: RepoAddress
      try {
        address = parseRepoUrl(repoUrl, defaultGitHosts)
      } catch (error) {
        expect(error).toBeInstanceOf(AppError)
        const [, nearest] = / Did you mean (.*)\?$/.exec((error as AppError).message) ?? []
        if (nearest !== undefined) check(nearest)
        return
      }
      expect(hosts).toContain(new URL(address.cloneUrl).origin)
      expect(address.cloneUrl).toBe(new URL(address.cloneUrl).href)
      expect(parseRepoUrl(address.webUrl, defaultGitHosts)).toEqual({ ...address, branch: undefined, folder: undefined })
    }
    fc.assert(fc.property(text, check), { numRuns: 3_000 })
  })

  test('may be on a configured base URL, also plain http on this machine and with a path', () => {
    expect(parseRepoUrl('http://127.0.0.1:8930/owner/repo', selfManaged)).toEqual({
      platform: 'github',
      host: { name: 'github' },
      id: { owner: 'owner', repo: 'repo' },
      baseUrl: 'http://127.0.0.1:8930',
      webUrl: 'http://127.0.0.1:8930/owner/repo',
      cloneUrl: 'http://127.0.0.1:8930/owner/repo.git',
    })
    expect(parseRepoUrl('https://git.example.com/gitlab/team/docs', selfManaged)).toMatchObject({
      platform: 'gitlab',
      id: { owner: 'team', repo: 'docs' },
    })
  })

  test('is matched with the longer of two base URLs on one host', () => {
    const hosts = { github: { baseUrl: 'https://git.example.com' }, gitlab: { baseUrl: 'https://git.example.com/gitlab' } }
    expect(parseRepoUrl('https://git.example.com/gitlab/team/docs', hosts).platform).toBe('gitlab')
    expect(parseRepoUrl('https://git.example.com/team/docs', hosts).platform).toBe('github')
  })

  test('is rejected with the allowed hosts and the settings for others if its host is another', () => {
    expect(refusal(() => parseRepoUrl('https://bitbucket.org/owner/repo', defaultGitHosts))).toMatchInlineSnapshot(
      `"Repositories are read from https://github.com/ and https://gitlab.com/, not from https://bitbucket.org. Write the address that way, or add its host to the setting git.hosts."`,
    )
  })

  const from = 'Repositories are read from https://github.com/ and https://gitlab.com/, not from'
  const send = 'send the address of its git repository on one of these hosts.'
  test.each([
    ['https://www.npmjs.com/package/hono', `${from} https://www.npmjs.com. npm is a package registry. To add a package, ${send}`],
    ['npmjs.com/package/hono', `${from} https://npmjs.com. npm is a package registry. To add a package, ${send}`],
    ['https://pypi.org/project/fastapi/', `${from} https://pypi.org. PyPI is a package registry. To add a package, ${send}`],
    ['https://crates.io/crates/serde', `${from} https://crates.io. crates.io is a package registry. To add a package, ${send}`],
    ['https://docs.rs/serde', `${from} https://docs.rs. docs.rs is a package registry. To add a package, ${send}`],
    ['https://pkg.go.dev/net/http', `${from} https://pkg.go.dev. pkg.go.dev is a package registry. To add a package, ${send}`],
    ['https://hono.dev/docs/guides', `${from} https://hono.dev. Add this documentation as a website, or ${send}`],
    ['hono.dev/', `${from} https://hono.dev. Add this documentation as a website, or ${send}`],
    ['https://docs.github.com/en/rest', `${from} https://docs.github.com. Add this documentation as a website, or ${send}`],
    ['https://x.dev/llms-full.txt', `${from} https://x.dev. Add this file as an llms.txt, or ${send}`],
  ])('is rejected with what can be added if it is %s', (repoUrl, message) => {
    expect(refusal(() => parseRepoUrl(repoUrl, defaultGitHosts))).toBe(message)
  })

  test.each(['https://github.com', 'http://github.com', 'http://github.com/', 'https://www.github.com', 'github.com/'])(
    'is rejected if it names no repository: %s',
    (repoUrl) => {
      expect(refusal(() => parseRepoUrl(repoUrl, defaultGitHosts))).toBe(
        'The address names no repository, or holds an empty part. Expected an address like https://github.com/owner/repo.',
      )
    },
  )

  test.each([
    'https://codeberg.org/owner/repo',
    'https://gitlab.example.com/owner/repo',
    'https://code.example.com/owner/repo.git',
    'http://10.0.0.7/owner/repo',
    'https://forge:3000/owner/repo',
  ])('is rejected with the settings if it may be on a git host: %s', (repoUrl) => {
    expect(refusal(() => parseRepoUrl(repoUrl, defaultGitHosts))).toContain('to the setting git.hosts.')
  })

  test.each([
    'https://GitHub.com/owner/repo',
    'https://github.com./owner/repo',
    'https://github.com:443/owner/repo',
    'https://github.com.evil.example/owner/repo',
    'http://github.com:80/owner/repo',
    'https://www.www.github.com/owner/repo',
    'http://www.github.com.evil.example/owner/repo',
    'http://127.1:8930/owner/repo',
    'http://0x7f000001:8930/owner/repo',
    'http://0177.0.0.1:8930/owner/repo',
    'http://2130706433:8930/owner/repo',
    'http://localhost:8930/owner/repo',
    'http://[::ffff:127.0.0.1]:8930/owner/repo',
    'https://127.0.0.1:8930/owner/repo',
    'http://127.0.0.1:8931/owner/repo',
    'http://127.0.0.1/owner/repo',
    'http://169.254.169.254/latest/meta-data',
  ])('is rejected in another spelling or on another host: %s', (repoUrl) => {
    const hosts = { github: defaultGitHosts.github, gitlab: { baseUrl: 'http://127.0.0.1:8930' } }
    expect(refusal(() => parseRepoUrl(repoUrl, hosts))).toContain(
      'Repositories are read from https://github.com/ and http://127.0.0.1:8930/',
    )
  })

  test.each([
    ['file:///etc/passwd', 'neither owner/repo nor'],
    ['/etc/passwd', 'neither owner/repo nor'],
    ['git://github.com/owner/repo.git', 'neither owner/repo nor'],
    ['ext::sh -c touch% /tmp/x', 'spaces'],
    ['HTTPS://github.com/owner/repo', 'neither owner/repo nor'],
    ['--upload-pack=touch', 'neither owner/repo nor'],
    ['', 'neither owner/repo nor'],
    ['https://user:ghp_secret@github.com/owner/repo', 'github.token'],
    ['https://github.com@evil.example/owner/repo', 'github.token'],
    ['https://github.com/owner/re\0po', 'control'],
    ['https://github.com/owner/repö', 'non-ASCII'],
    [`https://github.com/owner/${'a'.repeat(500)}`, '500 characters'],
    ['https://github.com/owner/%2e%2e', 'percent'],
    ['https://github.com/owner%2frepo/x', 'percent'],
    ['https://github.com/owner\\repo/x', 'backslash'],
    ['https://github.com/owner/repo.git#v1', 'fragment'],
    ['https://github.com/owner/repo/tree/main/%', 'percent'],
    ['https://github.com/owner/repo/tree/main/a%00b', 'percent'],
    ['https://github.com/owner/repo/tree/main/a%E2%80%8Bb', 'percent'],
    ['https://github.com/owner/repo/tree/main/%2e%2e/x', 'page or folder inside'],
    ['https://github.com/owner/repo/tree/main/%2A', 'page or folder inside'],
    ['https://github.com/owner/repo/tree/%2Dx', 'cannot begin with "-"'],
    ['https://github.com/owner', 'names no repository'],
    ['https://github.com/', 'names no repository'],
    ['https://github.com//repo', 'names no repository, or holds an empty part'],
    ['https://github.com/owner/.git', 'names no repository, or holds an empty part'],
    ['https://gitlab.com/group//project', 'names no repository, or holds an empty part'],
    ['https://github.com/owner/..', '".." cannot be'],
    ['https://github.com/./repo', '"." cannot be'],
    ['https://gitlab.com/a/../b', '".." cannot be'],
    ['https://github.com/-owner/repo', '"-owner" cannot be'],
    ['https://github.com/owner/-repo', '"-repo" cannot be'],
    ['https://github.com/owner/a;b', '"a;b" cannot be'],
    ['https://github.com/owner/re~po', '"re~po" cannot be'],
    ['https://gitlab.com/gro~up/repo', '"gro~up" cannot be'],
    ['https://github.com/owner/repo@v1', '"repo@v1" cannot be'],
    ['https://github.com/owner/repo.git.git', '"repo.git" cannot be'],
    ['https://github.com/owner/repo/blob/main/README.md', 'page or folder inside'],
    ['https://github.com/owner/repo/tree', 'page or folder inside'],
    ['https://gitlab.com/group/project/-/issues', 'page or folder inside'],
    ['https://github.com/owner/repo/tree/--upload-pack=x', 'A branch or tag cannot begin with "-"'],
    ['https://github.com/owner/repo/tree/-x/docs', 'A branch or tag cannot begin with "-"'],
    ['https://gitlab.com/group/project/-/tree/-x', 'A branch or tag cannot begin with "-"'],
  ])('is rejected if it is %j: %s', (repoUrl, reason) => {
    expect(refusal(() => parseRepoUrl(repoUrl, defaultGitHosts))).toContain(reason)
  })

  test('is quoted in an error without its credentials', () => {
    expect(refusal(() => parseRepoUrl('https://user:ghp_secret@github.com/owner/repo', defaultGitHosts))).toMatchInlineSnapshot(
      `"The address holds a user name or token; tokens belong in the settings github.token and gitlab.token. Expected an address like https://github.com/owner/repo."`,
    )
  })
})

describe('a redirect', () => {
  const address = parseRepoUrl('https://github.com/old/name', defaultGitHosts)

  test.each([
    ['https://github.com/new/name.git/info/refs?service=git-upload-pack', 'https://github.com/new/name'],
    ['/new/name.git/info/refs', 'https://github.com/new/name'],
    ['https://github.com/new/name/info/refs?x', 'https://github.com/new/name'],
  ])('is followed from %s to %s', (location, webUrl) => {
    expect(movedTo(address, location)?.webUrl).toBe(webUrl)
  })

  test.each([
    'https://evil.example/new/name.git/info/refs',
    '//evil.example/new/name.git/info/refs',
    'http://github.com/new/name.git/info/refs',
    'https://x@github.com/new/name.git/info/refs',
    'https://github.com:8443/new/name.git/info/refs',
    'https://github.com/login?return_to=/new/name.git/info/refs',
    'https://github.com/-x/name.git/info/refs',
    'file:///etc/passwd/info/refs',
    'https://[',
  ])('is rejected if it leads to no repository of the host: %s', (location) => {
    expect(movedTo(address, location)).toBeUndefined()
  })
})

describe('the link to a file', () => {
  test('leads to its line at the parsed commit', () => {
    const github = parseRepoUrl('https://github.com/owner/repo', defaultGitHosts)
    const gitlab = parseRepoUrl('https://gitlab.com/a/b/repo', defaultGitHosts)
    expect(blobUrl(github, 'c0ffee', 'docs/guide.md', { first: 12 })).toBe(
      'https://github.com/owner/repo/blob/c0ffee/docs/guide.md#L12',
    )
    expect(blobUrl(gitlab, 'c0ffee', 'docs/guide.md', { first: 12 })).toBe(
      'https://gitlab.com/a/b/repo/-/blob/c0ffee/docs/guide.md#L12',
    )
    expect(blobUrl(github, 'c0ffee', 'docs/guide.md')).toBe('https://github.com/owner/repo/blob/c0ffee/docs/guide.md')
  })

  test('escapes every character of a file name', () => {
    const github = parseRepoUrl('https://github.com/owner/repo', defaultGitHosts)
    expect(blobUrl(github, 'c0ffee', 'a b/#1?\n%/é\ud800.md')).toBe(
      'https://github.com/owner/repo/blob/c0ffee/a%20b/%231%3F%0A%25/%C3%A9%EF%BF%BD.md',
    )
  })
})
