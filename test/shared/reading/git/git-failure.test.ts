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
  ['error: unable to write file big.bin', 'internal_error', false, 'The disk of this server is full'],
  ['fatal: write error: No space left on device', 'internal_error', false, 'The disk of this server is full'],
  [
    "fatal: unable to access 'https://github.com/owner/repo.git/': Could not resolve host: github.com",
    'internal_error',
    true,
    'The connection to github.com failed',
  ],
  [
    "fatal: unable to access 'https://github.com/owner/repo.git/': The requested URL returned error: 502",
    'internal_error',
    true,
    'The connection to github.com failed',
  ],
  [
    'error: RPC failed; curl 56 Recv failure: Connection reset by peer\nfatal: early EOF\nfatal: index-pack failed',
    'internal_error',
    true,
    'The connection to github.com failed',
  ],
  [
    'fatal: unable to access: gnutls_handshake() failed: The TLS connection was non-properly terminated.',
    'internal_error',
    true,
    'The connection to github.com failed',
  ],
  [
    'fatal: unable to access: server certificate verification failed. CAfile: none CRLfile: none',
    'internal_error',
    false,
    'NODE_EXTRA_CA_CERTS',
  ],
  [
    "fatal: could not read Username for 'https://github.com': terminal prompts disabled",
    'access_denied',
    false,
    'set github.token',
  ],
  [
    "remote: Repository not found.\nfatal: repository 'https://github.com/owner/repo.git/' not found",
    'not_found',
    false,
    'does not exist',
  ],
  [
    'fatal: attempting to allocate 1572864001 over limit 629145600\nfatal: fetch-pack: invalid index-pack output',
    'library_too_large',
    false,
    'https://github.com/owner/repo holds an object that unpacks to more than 600 MB.',
  ],
  [
    'fatal: remote error: \x1b[31mred\x07 \u202ealert',
    'internal_error',
    false,
    'git could not read https://github.com/owner/repo: fatal: remote error: [31mred alert',
  ],
  ["fatal: couldn't find remote ref refs/heads/main", 'tag_not_found', true, 'was removed'],
  [
    'remote: No space left on device\nfatal: protocol error: bad pack header',
    'internal_error',
    false,
    'git could not read https://github.com/owner/repo: fatal: protocol error: bad pack header',
  ],
  ['', 'internal_error', false, 'git could not read https://github.com/owner/repo: it gave no reason'],
])('the git message %j becomes the job error %s', (messages, code, transient, message) => {
  expect(gitFailure(remote, messages, [])).toMatchObject({ code, transient, message: expect.stringContaining(message) })
})

test('a secret that git repeats is cut out', () => {
  const error = gitFailure(remote, 'fatal: bad header: Basic c2VjcmV0', ['c2VjcmV0'])
  expect([error.message, String(error.cause)]).toEqual([
    'git could not read https://github.com/owner/repo: fatal: bad header: Basic ***',
    'Error: fatal: bad header: Basic ***',
  ])
})
