import { type Context, Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../../shared/api/describe-route.ts'
import { EtagHeader, ifMatch } from '../../../shared/api/if-match.ts'
import { input } from '../../../shared/api/input.ts'
import { etagOf, requireMatch } from '../../../shared/http/etag.ts'
import { jsonBody } from '../../../shared/http/json-body.ts'
import { libraryKey } from '../../../shared/library.ts'
import type { Audit } from '../../access/audit.ts'
import { RuleList, type TeamPolicies, type TeamRules } from '../../access/team-policies.ts'
import { knownLibrary } from '../../access/visibility.ts'
import type { HostedCatalog } from '../../catalog/hosted-catalog.ts'
import { admin, type GuardPorts, type MemberEnv, member } from '../access/guards.ts'
import type { SessionEnv } from '../access/session.ts'
import { teamCaller } from '../access/team-caller.ts'
import { changing } from '../actions/manage-libraries.ts'
import { RulesAnswer } from './answers.ts'
import { actingMember, libraryInPath } from './library-in-path.ts'

type RulesRoutesPorts = GuardPorts & {
  catalog: Pick<HostedCatalog, 'record'>
  teamPolicies: Pick<TeamPolicies, 'rules' | 'setRules'>
  audit: Pick<Audit, 'begin'>
}

/** Fifty rules of 255 characters. */
const maxRulesBytes = 64 * 1024
const Rules = z.strictObject({ rules: RuleList })
const path = '/teamspaces/:team/rules' as const
const answered = { 200: json(RulesAnswer, 'The rules', EtagHeader) }

/** The sentences of a teamspace in the answers to its keys: for all libraries, and for single ones. */
export const rulesRoutes = (ports: RulesRoutesPorts) =>
  new Hono<SessionEnv>()
    .get(
      path,
      member(ports),
      describeRoute({
        operationId: 'getRules',
        tags: ['Policies'],
        summary: 'Get the rules of a teamspace',
        description: 'Sentences in the context answers to its keys.',
        responses: answered,
      }),
      async (c) => shown(c, await ports.teamPolicies.rules(c.get('teamspace').id)),
    )
    .put(
      path,
      admin(ports),
      describeRoute({
        operationId: 'setRules',
        tags: ['Policies'],
        summary: 'Set the rules for all libraries',
        description: 'Replaces them.',
        responses: answered,
      }),
      ifMatch(),
      jsonBody(maxRulesBytes),
      input('json', Rules),
      (c) => setRules(ports, c, undefined, c.req.valid('json').rules),
    )
    .put(
      `${path}/:owner/:repo`,
      admin(ports),
      describeRoute({
        operationId: 'setLibraryRules',
        tags: ['Policies'],
        summary: 'Set the rules for one library',
        description: 'Replaces them; an empty list removes them.',
        responses: answered,
      }),
      ifMatch(),
      jsonBody(maxRulesBytes),
      input('json', Rules),
      async (c) => {
        const { rules } = c.req.valid('json')
        const id = await libraryInPath(c)
        // The rules of a library that was removed can still be removed.
        if (rules.length > 0) await knownLibrary(ports.catalog, teamCaller(c), id)
        return setRules(ports, c, libraryKey(id), rules)
      },
    )

async function setRules(ports: RulesRoutesPorts, c: Context<MemberEnv>, library: string | undefined, rules: string[]) {
  const check = (before: TeamRules) => requireMatch(c.req.header('if-match'), stateOf(before))
  const facts = { after: { of: library ?? 'all libraries', rules } }
  const changed = await changing(ports, actingMember(c), 'setRules', facts, () =>
    ports.teamPolicies.setRules(c.get('teamspace').id, library, rules, check),
  )
  return shown(c, changed)
}

const stateOf = ({ global, libraries }: TeamRules) => ({ '': { global, ...libraries } })

const shown = (c: Context, rules: TeamRules) => c.json(rules, 200, { etag: etagOf(stateOf(rules)) })
