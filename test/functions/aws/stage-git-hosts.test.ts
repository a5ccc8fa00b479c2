import { expect, test } from 'vitest'
import { stageGitHosts } from '../../../functions/aws/stage-git-hosts.ts'

test('an empty variable is treated as unset, and a trailing slash is ignored', () => {
  const usual = { github: { baseUrl: 'https://github.com' }, gitlab: { baseUrl: 'https://gitlab.com' } }
  expect(stageGitHosts({})).toEqual(usual)
  expect(stageGitHosts({ GITHUB_BASE_URL: '', GITLAB_BASE_URL: 'https://git.example.com/lab/' })).toEqual({
    ...usual,
    gitlab: { baseUrl: 'https://git.example.com/lab' },
  })
})

test.each(['git.example.com', 'http://git.example.com', 'https://user:word@git.example.com', 'https://git.example.com/?a=b'])(
  'a stage rejects the git host %s',
  (address) => {
    expect(() => stageGitHosts({ GITLAB_BASE_URL: address })).toThrow(/^GITLAB_BASE_URL must /)
  },
)
