import { z } from 'zod'
import { ScheduleText } from '../shared/freshness/refresh-schedule.ts'
import { BaseUrl } from '../shared/schemas/base-url.ts'
import { GitHostList } from '../shared/schemas/git-host-list.ts'
import { SourceHosts } from '../shared/schemas/source-hosts.ts'
import { readEnvironment } from '../shared/settings/read-environment.ts'

export const production = $app.stage === 'production'

/** Workers reach only port 443. */
const PublicHost = BaseUrl.pipe(
  z.string().regex(/^https:\/\/[^/:]+(\/|$)/, 'must be an address such as https://git.example.com: workers reach only port 443'),
)

const PublicHosts = GitHostList.refine(
  (hosts) => hosts.every(({ baseUrl }) => PublicHost.safeParse(baseUrl).success),
  'must have addresses such as https://git.example.com: workers reach only port 443',
)

const {
  DEPLOY_REGION,
  DEPLOY_ACCOUNT,
  DOMAIN,
  API_COMPUTE,
  GITHUB_BASE_URL,
  GITLAB_BASE_URL,
  GIT_HOSTS,
  SOURCE_HOSTS,
  REFRESH_SCHEDULE,
  RESTORED_TABLE,
} = readEnvironment(
  z.object({
    DEPLOY_REGION: z
      .string()
      .regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'must be a region such as us-east-1')
      .optional(),
    DEPLOY_ACCOUNT: z
      .string()
      .regex(/^\d{12}$/, 'must be the 12 digits of an account')
      .optional(),
    DOMAIN: z
      .string()
      .regex(/^[a-z\d-]+(\.[a-z\d-]+)+$/i, 'must be a domain such as docs.example.com')
      .optional(),
    API_COMPUTE: z.enum(['lambda', 'service'], 'must be lambda or service').default('lambda'),
    GITHUB_BASE_URL: PublicHost.optional(),
    GITLAB_BASE_URL: PublicHost.optional(),
    GIT_HOSTS: PublicHosts.optional(),
    SOURCE_HOSTS: SourceHosts.optional(),
    REFRESH_SCHEDULE: ScheduleText.optional(),
    RESTORED_TABLE: z
      .string()
      .regex(/^[\w.-]{3,255}$/, 'must be the name of a table')
      .optional(),
  }),
  process.env,
)

if (production && (DEPLOY_REGION === undefined || DEPLOY_ACCOUNT === undefined))
  throw new Error(
    'Set DEPLOY_REGION, such as us-east-1, and DEPLOY_ACCOUNT, of 12 digits, in .env: a shell with another region or account would create a second, empty production.',
  )

// The provider takes the region from the variable, so this finds a version of SST or a profile that overrides it.
$resolve([aws.getRegionOutput().region, aws.getCallerIdentityOutput().accountId]).apply(([region, account]) => {
  if (DEPLOY_REGION !== undefined && region !== DEPLOY_REGION)
    throw new Error(`This would deploy to the region ${region}; DEPLOY_REGION is ${DEPLOY_REGION}.`)
  if (DEPLOY_ACCOUNT !== undefined && account !== DEPLOY_ACCOUNT)
    throw new Error(`This would deploy to the account ${account}; DEPLOY_ACCOUNT is ${DEPLOY_ACCOUNT}.`)
})

/** Retention of logs. They may contain usage events that wait for a replay, and nothing that identifies a person. */
export const logDays = production ? 30 : 7

/**
 * Days back to which the table can be restored. Old versions of the content and the backups of the table are kept as long, so that a
 * restored table finds its content, and what was erased is gone everywhere after these days. AWS allows at most 35.
 */
export const recoveryDays = 35

/** The domain of the service: `DOMAIN` in production, `<stage>.DOMAIN` elsewhere, CloudFront's own if `DOMAIN` is not set. */
export const domain = DOMAIN && (production ? DOMAIN : `${$app.stage}.${DOMAIN}`)

/**
 * `API_COMPUTE`: what runs the API. A `service` is cheaper above tens of millions of requests a month, and needs a domain for the certificate of its
 * load balancer.
 */
export const apiCompute = API_COMPUTE

if (API_COMPUTE === 'service' && !domain)
  throw new Error('API_COMPUTE=service needs a DOMAIN, for the certificate of the load balancer.')

/**
 * GITHUB_BASE_URL and GITLAB_BASE_URL, if they are set: the addresses of self-hosted git hosts; GIT_HOSTS: a list of further ones; SOURCE_HOSTS: hosts of websites and other sources, by default every public one. Workers reach them over the internet. The command line reads the same variables, so set them in `.env`.
 */
export const gitHosts: Record<string, string> = {
  ...(GITHUB_BASE_URL !== undefined && { GITHUB_BASE_URL }),
  ...(GITLAB_BASE_URL !== undefined && { GITLAB_BASE_URL }),
  ...(GIT_HOSTS !== undefined && { GIT_HOSTS: JSON.stringify(GIT_HOSTS) }),
  ...(SOURCE_HOSTS !== undefined && { SOURCE_HOSTS: SOURCE_HOSTS.join(',') }),
}

/** REFRESH_SCHEDULE, if it is set: when libraries without their own schedule are compared with their repositories. The default is weekly. */
export const refreshSchedule: Record<string, string> = REFRESH_SCHEDULE === undefined ? {} : { REFRESH_SCHEDULE }

/** The table that the stage uses after a restore: `RESTORED_TABLE`. It exists already, and docs/runbook.md says how it was configured. */
export const restoredTable = RESTORED_TABLE
