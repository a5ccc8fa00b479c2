import type { Context } from 'hono'
import { every } from 'hono/combine'
import { createMiddleware } from 'hono/factory'
import { policyRoutes } from '../../shared/api/policies.ts'
import { type AccessEnv, allow } from '../access.ts'
import type { App } from '../app.ts'
import type { PolicyState } from '../cloud/cloud.ts'
import { needLicense } from '../need-license.ts'

/** The policy of this install, for admins, under a valid license. */
export const installPolicyRoutes = (app: App) => {
  const licensed = createMiddleware(async (_, next) => {
    needLicense(app)
    await next()
  })
  return policyRoutes(
    {
      policy: async (c) => shown(await app.cloud.policy(), c),
      async changePolicy(change, c: Context<AccessEnv>) {
        const state = await app.cloud.changePolicy(change)
        app.audit.record({
          actor: c.get('caller').holder?.name ?? 'anonymous',
          action: 'policy.change',
          subject: Object.keys(change).join(', '),
        })
        return shown(state, c)
      },
    },
    every(allow(app, 'admin'), licensed),
  )
}

function shown({ answer, unavailable }: PolicyState, c: Context): PolicyState['answer'] {
  if (unavailable) c.header('x-carrel-hosted', 'unavailable')
  return answer
}
