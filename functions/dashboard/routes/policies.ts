import { type Context, Hono } from 'hono'
import { describeRoute, json } from '../../../shared/api/describe-route.ts'
import { EtagHeader, ifMatch } from '../../../shared/api/if-match.ts'
import { input } from '../../../shared/api/input.ts'
import { PolicyAnswer } from '../../../shared/api/policies.ts'
import { AppError } from '../../../shared/errors.ts'
import { etagOf, requireMatch } from '../../../shared/http/etag.ts'
import { jsonBody } from '../../../shared/http/json-body.ts'
import { type Policy, policyValues } from '../../../shared/policy/policy.ts'
import { applyChange, PolicyChange } from '../../../shared/policy/policy-change.ts'
import type { Audit } from '../../access/audit.ts'
import type { Licenses } from '../../access/licenses.ts'
import { answerPolicy, type Governed, type PolicyPorts, storeFor } from '../../queries/policy-ports.ts'
import { admin, type GuardPorts, type MemberEnv, member } from '../access/guards.ts'
import type { SessionEnv } from '../access/session.ts'
import { teamCaller } from '../access/team-caller.ts'
import { changing } from '../actions/manage-libraries.ts'
import { listLicenses } from '../queries/team-licenses.ts'
import { LicenseList } from './answers.ts'
import { actingMember } from './library-in-path.ts'

/** Lists of a thousand libraries. */
const maxPolicyBytes = 1024 * 1024

type PolicyRoutesPorts = GuardPorts &
  PolicyPorts & {
    licenses: PolicyPorts['licenses'] & Pick<Licenses, 'issuedTo' | 'find' | 'isRevoked'>
    audit: Pick<Audit, 'begin'>
  }

const team = '/teamspaces/:team' as const
const answered = { 200: json(PolicyAnswer, 'The policy', EtagHeader) }
const previewed = { 200: json(PolicyAnswer, 'The policy after the change') }

/** The policies of a teamspace and of its licenses. */
export const policyRoutes = (ports: PolicyRoutesPorts) =>
  new Hono<SessionEnv>()
    .get(
      `${team}/policy`,
      member(ports),
      describeRoute({
        operationId: 'getPolicy',
        tags: ['Policies'],
        summary: 'Get the policy of a teamspace',
        description: 'The libraries that its keys reach.',
        responses: answered,
      }),
      (c) => answer(ports, c, teamCaller(c)),
    )
    .patch(
      `${team}/policy`,
      admin(ports),
      describeRoute({
        operationId: 'changePolicy',
        tags: ['Policies'],
        summary: 'Change the policy of a teamspace',
        description: 'Omitted fields keep their values. It applies to the keys after at most five seconds.',
        responses: answered,
      }),
      ifMatch(),
      jsonBody(maxPolicyBytes),
      input('json', PolicyChange),
      (c) => change(ports, c, teamCaller(c), c.req.valid('json')),
    )
    .post(
      `${team}/policy/preview`,
      member(ports),
      describeRoute({
        operationId: 'previewPolicy',
        tags: ['Policies'],
        summary: 'Get the policy of a teamspace as a change would make it',
        description: 'Nothing is stored.',
        responses: previewed,
      }),
      jsonBody(maxPolicyBytes),
      input('json', PolicyChange),
      async (c) => {
        const stored = await storeFor(ports, teamCaller(c)).read()
        return c.json(await answerPolicy(ports, teamCaller(c), applyChange(stored, c.req.valid('json'))))
      },
    )
    .get(
      `${team}/licenses`,
      member(ports),
      describeRoute({
        operationId: 'listLicenses',
        tags: ['Policies'],
        summary: 'List the licenses of a teamspace',
        description: 'With their ends. The operator issues them.',
        responses: { 200: json(LicenseList, 'The licenses') },
      }),
      async (c) => c.json({ licenses: await listLicenses(ports, c.get('teamspace').id) }),
    )
    .get(
      `${team}/licenses/:id/policy`,
      member(ports),
      describeRoute({
        operationId: 'getLicensePolicy',
        tags: ['Policies'],
        summary: 'Get the policy of a license',
        description: 'The libraries that installs with the license reach.',
        responses: answered,
      }),
      async (c) => answer(ports, c, await licenseInPath(ports, c)),
    )
    .patch(
      `${team}/licenses/:id/policy`,
      admin(ports),
      describeRoute({
        operationId: 'changeLicensePolicy',
        tags: ['Policies'],
        summary: 'Change the policy of a license',
        description: 'Omitted fields keep their values.',
        responses: answered,
      }),
      ifMatch(),
      jsonBody(maxPolicyBytes),
      input('json', PolicyChange),
      async (c) => change(ports, c, await licenseInPath(ports, c), c.req.valid('json')),
    )
    .post(
      `${team}/licenses/:id/policy/preview`,
      member(ports),
      describeRoute({
        operationId: 'previewLicensePolicy',
        tags: ['Policies'],
        summary: 'Get the policy of a license as a change would make it',
        description: 'Nothing is stored.',
        responses: previewed,
      }),
      jsonBody(maxPolicyBytes),
      input('json', PolicyChange),
      async (c) => {
        const license = await licenseInPath(ports, c)
        const stored = await storeFor(ports, license).read()
        return c.json(await answerPolicy(ports, license, applyChange(stored, c.req.valid('json'))))
      },
    )

async function answer(ports: PolicyRoutesPorts, c: Context, who: Governed) {
  return shown(c, await answerPolicy(ports, who, await storeFor(ports, who).read()))
}

async function change(ports: PolicyRoutesPorts, c: Context<MemberEnv>, who: Governed, wanted: PolicyChange) {
  const check = (current: Policy) => requireMatch(c.req.header('if-match'), { '': policyValues(current) })
  const facts = who.kind === 'license' ? { after: { license: who.license.id } } : {}
  const changed = await changing(ports, actingMember(c), 'changePolicy', facts, () => storeFor(ports, who).change(wanted, check))
  return shown(c, await answerPolicy(ports, who, changed))
}

const shown = (c: Context, policy: PolicyAnswer) => c.json(policy, 200, { etag: etagOf({ '': policyValues(policy) }) })

/** A license of another teamspace is answered like a missing one. */
async function licenseInPath({ licenses }: PolicyRoutesPorts, c: Context<MemberEnv>): Promise<Governed> {
  const id = c.req.param('id') ?? ''
  if ((await licenses.issuedTo(c.get('teamspace').id)).includes(id)) return { kind: 'license', license: { id } }
  throw new AppError('not_found', 'The teamspace has no such license.')
}
