import { expect, test } from 'vitest'
import { gitFailure } from '../../../../shared/reading/git/git-failure.ts'
import { defaultGitHosts } from '../../../../shared/reading/git/git-hosts.ts'
import { parseRepoUrl } from '../../../../shared/reading/git/repo-address.ts'

const remote = {
  address: parseRepoUrl('https://github.com/owner/repo', defaultGitHosts),
  moved: false,
  isPublic: true,
  refs: new Map<string, string>(),
  defaultRef: undefined,
}

test.each([
  ['error: unable to write file big.bin', 'disk_full', 'never', 'The disk of this server is full'],
  ['fatal: write error: No space left on device', 'disk_full', 'never', 'The disk of this server is full'],
  [
    "fatal: unable to access 'https://github.com/owner/repo.git/': Could not resolve host: github.com",
    'provider_unavailable',
    'limited',
    'The connection to github.com failed',
  ],
  [
    "fatal: unable to access 'https://github.com/owner/repo.git/': The requested URL returned error: 502",
    'provider_unavailable',
    'limited',
    'The host github.com responded with status 502.',
  ],
  [
    'error: RPC failed; curl 56 Recv failure: Connection reset by peer\nfatal: early EOF\nfatal: index-pack failed',
    'provider_unavailable',
    'limited',
    'The connection to github.com failed',
  ],
  [
    'fatal: unable to access: gnutls_handshake() failed: The TLS connection was non-properly terminated.',
    'provider_unavailable',
    'limited',
    'The connection to github.com failed',
  ],
  [
    'fatal: unable to access: server certificate verification failed. CAfile: none CRLfile: none',
    'provider_unavailable',
    'never',
    'NODE_EXTRA_CA_CERTS',
  ],
  [
    "fatal: could not read Username for 'https://github.com': terminal prompts disabled",
    'access_denied',
    'never',
    'set github.token',
  ],
  [
    "remote: Repository not found.\nfatal: repository 'https://github.com/owner/repo.git/' not found",
    'not_found',
    'never',
    'does not exist',
  ],
  [
    'fatal: attempting to allocate 1572864001 over limit 629145600\nfatal: fetch-pack: invalid index-pack output',
    'library_too_large',
    'never',
    'https://github.com/owner/repo holds an object that unpacks to more than 600 MB.',
  ],
  [
    'fatal: remote error: \x1b[31mred\x07 \u202ealert',
    'provider_unavailable',
    'never',
    'The host refused to show the repository: "[31mred alert".',
  ],
  ["fatal: couldn't find remote ref refs/heads/main", 'tag_not_found', 'limited', 'was removed'],
  [
    'remote: No space left on device\nfatal: protocol error: bad pack header',
    'provider_unavailable',
    'never',
    'git could not read https://github.com/owner/repo: fatal: protocol error: bad pack header',
  ],
  ['', 'provider_unavailable', 'never', 'git could not read https://github.com/owner/repo: it gave no reason.'],
  [
    'fatal: remote error: access denied: certificate\nfatal: early EOF',
    'provider_unavailable',
    'never',
    'The host refused to show the repository: "access denied: certificate fatal: early EOF".',
  ],
  [
    'fatal: remote error: We cannot handle this request due to load.',
    'provider_unavailable',
    'limited',
    'The host refused to show the repository: "We cannot handle this request due to load".',
  ],
  [
    'remote: Repository is disabled.\nremote: Ask its owner.        \nfatal: protocol error: bad pack header',
    'provider_unavailable',
    'never',
    'fatal: protocol error: bad pack header. The host says: "Repository is disabled. Ask its owner".',
  ],
  [
    'remote: Enumerating objects: 5, done.\nremote: Repository is disabled\nfatal: early EOF\nfatal: index-pack failed',
    'provider_unavailable',
    'never',
    'The host says: "Repository is disabled".',
  ],
  [
    'remote: Enumerating objects: 5, done.\nremote: Total 5 (delta 0), reused 0\nfatal: early EOF',
    'provider_unavailable',
    'limited',
    'The connection to github.com failed while https://github.com/owner/repo was fetched.',
  ],
  [
    'remote: Compressing objects: 100% (4/4), done.\nremote: fatal: unable to read b62d92\nremote: aborting due to possible repository corruption on the remote side.\nerror: RPC failed; curl 18 transfer closed\nfatal: early EOF\nfatal: fetch-pack: invalid index-pack output',
    'provider_unavailable',
    'never',
    'The host ended the transfer of https://github.com/owner/repo: "fatal: unable to read b62d92 aborting due to possible repository corruption on the remote side".',
  ],
  [
    'remote: aborting due to memory pressure, try again later\nfatal: the remote end hung up unexpectedly',
    'provider_unavailable',
    'limited',
    'The host ended the transfer of https://github.com/owner/repo: "aborting due to memory pressure, try again later".',
  ],
  [
    'remote: Welcome\nerror: RPC failed; curl 18 transfer closed\nfatal: early EOF',
    'provider_unavailable',
    'limited',
    'The connection to github.com failed while https://github.com/owner/repo was fetched. The host says: "Welcome".',
  ],
  [
    "remote: Billing is overdue.\nfatal: unable to access 'https://github.com/owner/repo.git/': The requested URL returned error: 403",
    'access_denied',
    'never',
    'set github.token. The host says: "Billing is overdue".',
  ],
  [
    "remote: Taken down\nfatal: unable to access 'https://github.com/owner/repo.git/': The requested URL returned error: 451",
    'provider_unavailable',
    'never',
    'The host github.com responded with status 451. The host says: "Taken down".',
  ],
  [
    "error: RPC failed; HTTP 400 curl 22 The requested URL returned error: 400\nfatal: expected 'packfile'",
    'provider_unavailable',
    'never',
    'The host github.com responded with status 400.',
  ],
])('the git message %j becomes the job error %s', (messages, code, retry, message) => {
  expect(gitFailure(remote, messages, [])).toMatchObject({ code, retry, message: expect.stringContaining(message) })
})

test('a secret in a message of the host is redacted, also a part of one', () => {
  const secrets = ['gh-t0ken-value']
  const said = (messages: string) => gitFailure(remote, messages, secrets).message
  const messages = [
    said('fatal: remote error: no gh-t0ken-value here'),
    said('remote: no t0ken-value here\nfatal: early EOF'),
    said(`remote: ${'x '.repeat(95)}gh-t0ken-value\nfatal: The requested URL returned error: 451`),
  ]
  expect(messages.filter((message) => /t0ken/.test(message))).toEqual([])
  expect(messages[0]).toBe('The host refused to show the repository: "no *** here".')
})

test('a secret that git repeats is redacted', () => {
  const error = gitFailure(remote, 'fatal: bad header: Basic c2VjcmV0', ['c2VjcmV0'])
  expect([error.message, String(error.cause)]).toEqual([
    'git could not read https://github.com/owner/repo: fatal: bad header: Basic ***.',
    'Error: fatal: bad header: Basic ***',
  ])
})
