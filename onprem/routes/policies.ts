import type { Context } from 'hono'
import { every } from 'hono/combine'
import { createMiddleware } from 'hono/factory'
import { policyRoutes } from '../../shared/api/policies.ts'
import { actorOf, type CallerEnv, requireRight } from '../access/caller.ts'
import { requireLicense } from '../access/require-license.ts'
import type { App } from '../app.ts'
import type { PolicyState } from '../cloud/cloud.ts'

/** The policy of this install, for admins, under a valid license. */
export const installPolicyRoutes = (app: App) => {
  const licensed = createMiddleware(async (_, next) => {
    requireLicense(app)
    await next()
  })
  return policyRoutes(
    {
      policy: async (c) => shown(await app.cloud.policy(), c),
      async changePolicy(change, c: Context<CallerEnv>) {
        const state = await app.cloud.changePolicy(change)
        const actor = actorOf(c.get('caller'))
        for (const subject of fieldsOf(change)) app.audit.record({ actor, action: 'policy.change', subject })
        return shown(state, c)
      },
    },
    every(requireRight(app, 'admin'), licensed),
  )
}

/** The fields that a change gives, such as `libraryFilters.quality.blockedLibraries.add`. */
const fieldsOf = (change: object, path = ''): string[] =>
  Object.entries(change).flatMap(([name, value]) => {
    const isInner = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isInner ? fieldsOf(value, `${path}${name}.`) : [path + name]
  })

function shown({ answer, unavailable }: PolicyState, c: Context): PolicyState['answer'] {
  if (unavailable) c.header('x-carrel-hosted', 'unavailable')
  return answer
}
