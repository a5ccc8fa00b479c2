export const production = $app.stage === 'production'

const { DEPLOY_REGION = '', DEPLOY_ACCOUNT = '' } = process.env

if (production && (!/^[a-z]{2}(-[a-z]+)+-\d$/.test(DEPLOY_REGION) || !/^\d{12}$/.test(DEPLOY_ACCOUNT)))
  throw new Error(
    'Set DEPLOY_REGION, such as us-east-1, and DEPLOY_ACCOUNT, of 12 digits, in .env: a shell with another region or account would create a second, empty production.',
  )

// The provider takes the region from the variable, so this finds a version of SST or a profile that overrides it.
$resolve([aws.getRegionOutput().region, aws.getCallerIdentityOutput().accountId]).apply(([region, account]) => {
  if (DEPLOY_REGION !== '' && region !== DEPLOY_REGION)
    throw new Error(`This would deploy to the region ${region}; DEPLOY_REGION is ${DEPLOY_REGION}.`)
  if (DEPLOY_ACCOUNT !== '' && account !== DEPLOY_ACCOUNT)
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
export const domain = process.env.DOMAIN && (production ? process.env.DOMAIN : `${$app.stage}.${process.env.DOMAIN}`)

/**
 * `API_COMPUTE`: what runs the API. A `service` is cheaper above tens of millions of requests a month, and needs a domain for the certificate of its
 * load balancer.
 */
export const apiCompute = computeOf(process.env.API_COMPUTE || 'lambda')

/**
 * GITHUB_BASE_URL and GITLAB_BASE_URL, if they are set: the addresses of self-hosted git hosts. Workers reach them over the internet, only
 * on port 443. The command line reads the same variables, so set them in `.env`.
 */
export const gitHosts = Object.fromEntries(
  ['GITHUB_BASE_URL', 'GITLAB_BASE_URL'].flatMap((name) => {
    const address = process.env[name]
    if (!address) return []
    if (/^https:\/\/[^/:@?#\s]+(\/[^?#\s]*)?$/.test(address)) return [[name, address]]
    throw new Error(`${name} must be an address such as https://git.example.com. Workers reach only port 443.`)
  }),
)

/** The table that the stage uses after a restore: `RESTORED_TABLE`. It exists already, and docs/runbook.md says how it was configured. */
export const restoredTable = process.env.RESTORED_TABLE

function computeOf(value: string): 'lambda' | 'service' {
  if (value !== 'lambda' && value !== 'service') throw new Error('API_COMPUTE must be lambda or service.')
  if (value === 'service' && !domain)
    throw new Error('API_COMPUTE=service needs a DOMAIN, for the certificate of the load balancer.')
  return value
}
