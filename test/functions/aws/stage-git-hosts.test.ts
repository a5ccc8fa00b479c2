import { expect, test } from 'vitest'
import { stageGitHosts } from '../../../functions/aws/stage-git-hosts.ts'

test('an empty variable is treated as unset, and spaces, line ends and a trailing slash are ignored', () => {
  const bitbucket = { name: 'bitbucket', kind: 'bitbucket', baseUrl: 'https://bitbucket.org' }
  const usual = { github: { baseUrl: 'https://github.com' }, gitlab: { baseUrl: 'https://gitlab.com' }, others: [bitbucket] }
  expect(stageGitHosts({})).toEqual(usual)
  expect(stageGitHosts({ GITHUB_BASE_URL: ' \r\n', GITLAB_BASE_URL: ' https://git.example.com/lab/\r\n' })).toEqual({
    ...usual,
    gitlab: { baseUrl: 'https://git.example.com/lab' },
  })
})

test.each(['git.example.com', 'http://git.example.com', 'https://user:word@git.example.com', 'https://git.example.com/?a=b'])(
  'a stage rejects the git host %s',
  (address) => {
    expect(() => stageGitHosts({ GITLAB_BASE_URL: address })).toThrow(/^GITLAB_BASE_URL is "[^"]+" and must [^"]+\.$/)
  },
)

test('a rejected git host is shown without its password, on one line', () => {
  expect(() => stageGitHosts({ GITLAB_BASE_URL: 'https://user:word@git.example.com' })).toThrow(
    'GITLAB_BASE_URL is "https://…@git.example.com" and must not contain a user name or password.',
  )
  expect(() => stageGitHosts({ GITLAB_BASE_URL: 'https://git.\r\nexample.com' })).toThrow(
    'GITLAB_BASE_URL is "https://git.\\r\\nexample.com" and must be one line of plain text.',
  )
})
