import { describe, expect, test } from 'vitest'
import { readAddress } from '../../../../shared/search/libraries/read-address.ts'

describe('the address of a library', () => {
  test.each([
    ['https://github.com/vercel/next.js', ['vercel/next.js']],
    ['https://github.com/vercel/next.js.git', ['vercel/next.js']],
    ['https://github.com/vercel/next.js/blob/canary/readme.md#start', ['vercel/next.js']],
    ['https://github.com/vercel/next.js/issues?q=router', ['vercel/next.js']],
    ['https://token@github.com/vercel/next.js', ['vercel/next.js']],
    ['github.com/vercel/next.js', ['vercel/next.js']],
    ['www.github.com/vercel/next.js', ['vercel/next.js']],
    ['git@github.com:vercel/next.js.git', ['vercel/next.js']],
    ['ssh://git@gitlab.com/group/project.git', ['group/project']],
    ['https://gitlab.com/group/sub/project/-/tree/main/docs', ['group~sub/project']],
    ['https://bitbucket.org/team/project/src/main', ['team/project']],
    ['https://www.npmjs.com/package/zod', ['zod']],
    ['https://npmjs.com/package/@tanstack/react-query?activetab=versions', ['@tanstack/react-query']],
    ['https://pypi.org/project/requests/2.32.0/', ['requests']],
    ['https://crates.io/crates/serde', ['serde']],
    ['https://docs.rs/tokio/latest/tokio/', ['tokio']],
    ['https://nextjs.org', ['nextjs']],
    ['https://docs.acme.example/', ['acme.example']],
    ['https://git.acme.example:8443/team/api.git', ['git.acme.example', 'team/api', 'team/api']],
    ['https://git.acme.example/team/sub/api', ['git.acme.example', 'team~sub/api', 'team/sub']],
  ])('is read from $0 as $1', (address, names) => {
    expect(readAddress(address)).toEqual(names)
  })

  test.each(['next.js', 'vercel/next.js', '@tanstack/react-query', 'socket.io', 'c++', 'npm:zod', 'https://', 'a b'])(
    'is not read from %s',
    (name) => {
      expect(readAddress(name)).toBeUndefined()
    },
  )
})
