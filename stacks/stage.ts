export const production = $app.stage === 'production'

/** Days that a log line is kept: it may hold a usage event that waits to be replayed, and nothing that names a person. */
export const logDays = production ? 30 : 7

/** The address of the service: `DOMAIN` in production, `<stage>.DOMAIN` elsewhere, CloudFront's own where `DOMAIN` is not set. */
export const domain = process.env.DOMAIN && (production ? process.env.DOMAIN : `${$app.stage}.${process.env.DOMAIN}`)

/**
 * GITHUB_BASE_URL and GITLAB_BASE_URL, where they are set: the addresses of git hosts of one's own, which workers reach from the internet and
 * on port 443 alone. The command line reads the same variables, so `.env` is the place for them.
 */
export const gitHosts = Object.fromEntries(
  ['GITHUB_BASE_URL', 'GITLAB_BASE_URL'].flatMap((name) => {
    const address = process.env[name]
    if (!address) return []
    if (/^https:\/\/[^/:@?#\s]+(\/[^?#\s]*)?$/.test(address)) return [[name, address]]
    throw new Error(`${name} must be an address such as https://git.example.com: workers reach port 443 alone.`)
  }),
)
