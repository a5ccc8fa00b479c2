import { expect } from 'vitest'
import { makeKeyPair } from '../../shared/keys/key-pair.ts'
import type { Inputs, Made, Stage } from './evaluate-stage.ts'

export type Stages = { production: Stage; dev: Stage }
export const stageNames = ['production', 'dev'] as const

export const secrets = {
  SST_SECRET_OriginSecret: 'origin-secret-of-at-least-32-letters,the-secret-before-it-of-32-letters',
  SST_SECRET_BundleKey: makeKeyPair().privatePem,
  SST_SECRET_LicenseKey: makeKeyPair().publicPem,
  SST_SECRET_OidcClientSecret: 'secret-of-the-dashboard-at-its-issuer',
  SST_SECRET_GitHubToken: 'token-of-github',
  SST_SECRET_GitLabToken: 'token-of-gitlab',
}

/** The variables of the stage `production`; those of the other have their defaults. */
export const productionVariables = {
  DEPLOY_REGION: 'us-east-1',
  DEPLOY_ACCOUNT: '123456789012',
  DOMAIN: 'docs.example.com',
  GITLAB_BASE_URL: 'https://git.example.com/lab',
  OIDC_ISSUER: 'https://login.example.com/realm',
  OIDC_CLIENT_ID: 'carrel-production',
  ALARM_SUBSCRIBER: 'ops@example.com',
  // Any Markdown file of the checkout.
  TERMS_FILE: 'README.md',
  MAIL_FROM: 'carrel@docs.example.com',
  REQUEST_LIMITS: '{"anonymous":{"minute":30}}',
  REFRESH_SCHEDULE: 'daily',
  REQUESTS_PER_SECOND: '200',
  MONTHLY_BUDGET_USD: '900',
}

/** The second line of a key in PEM, which is different in each key. */
export const bodyOf = (pem: string): string => pem.split('\n')[1] ?? ''

/** The resources of a type, such as `aws:s3/bucket:Bucket`, or `s3/bucket` for short. */
export const all = (stage: Stage, type: string): Made[] =>
  stage.resources.filter((made) => made.type.replace('aws:', '').startsWith(`${type}:`))

export function one(stage: Stage, type: string, name: string): Made {
  const found = all(stage, type).filter((made) => made.name.startsWith(name))
  expect(
    found.map((made) => made.name),
    `${type} ${name}`,
  ).toHaveLength(1)
  return found[0] as Made
}

export type Statement = { Effect: string; Action: string[]; Resource: string[]; Condition?: Inputs; Principal?: Inputs }

const statementsOf = (policy: string): Statement[] => JSON.parse(policy).Statement

/** Policies by the name of their role, and what else is attached to it. */
export function rolesOf(stage: Stage): Record<string, { statements: Statement[]; managed: string[]; trust: Inputs }> {
  const attached = all(stage, 'iam/rolePolicy')
  return Object.fromEntries(
    all(stage, 'iam/role').map(({ name, inputs }) => [
      name,
      {
        statements: [
          ...(inputs.inlinePolicies ?? []).map((inline: { policy: string }) => inline.policy),
          ...attached.filter((made) => made.inputs.role === inputs.name).map((made) => made.inputs.policy),
        ].flatMap(statementsOf),
        managed: inputs.managedPolicyArns ?? [],
        trust: typeof inputs.assumeRolePolicy === 'string' ? JSON.parse(inputs.assumeRolePolicy) : inputs.assumeRolePolicy,
      },
    ]),
  )
}
