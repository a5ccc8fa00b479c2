import { type AiAddress, embeddingAddress, llmAddress } from './ai-address.ts'
import { type HostSecretName, hostSecretPattern } from './git-secrets.ts'
import { type IssuerSecretName, isIssuerSecret, issuerSecretPattern, type ListedSecretName } from './listed-secrets.ts'
import type { SecretName, SettingName, Settings } from './settings.ts'

/**
 * The service that a secret belongs to, as one text. A secret is sent only there, and is deleted if the settings name another
 * service.
 */
export function secretAddress(
  secret: SecretName | ListedSecretName,
  get: <N extends SettingName>(name: N) => Settings[N],
): string {
  switch (secret) {
    case 'github.token':
      return get('github.baseUrl')
    case 'gitlab.token':
      return get('gitlab.baseUrl')
    case 'confluence.token':
      return get('confluence.baseUrl') ?? ''
    case 'llm.apiKey':
      return addressText(llmAddress(get))
    case 'embedding.apiKey':
      return addressText(embeddingAddress(get))
    case 'notifications.smtpUser':
    case 'notifications.smtpPassword':
      return mailServer(get)
    case 'audit.webhookUrl':
    case 'audit.webhookKey':
    case 'notifications.webhookUrl':
    case 'notifications.webhookKey':
    case 'notifications.slackUrl':
      return ownAddress
    default:
      if (isIssuerSecret(secret)) return issuerOfSecret(secret, get)?.issuer ?? ''
      return hostOfSecret(secret, get)?.baseUrl ?? ''
  }
}

/** The host in `git.hosts` that a secret belongs to. */
export function hostOfSecret(secret: HostSecretName, get: (name: 'git.hosts') => Settings['git.hosts']) {
  const [, host] = hostSecretPattern.exec(secret) ?? []
  return get('git.hosts').find(({ name }) => name === host)
}

/** The issuer in `sso.issuers` that a secret belongs to. */
export function issuerOfSecret(secret: IssuerSecretName, get: (name: 'sso.issuers') => Settings['sso.issuers']) {
  const [, issuer] = issuerSecretPattern.exec(secret) ?? []
  return get('sso.issuers').find(({ name }) => name === issuer)
}

/** The address of a secret that is an address itself, and of the key that signs what is sent there, which is never sent. */
const ownAddress = ''

const mailServer = (get: <N extends SettingName>(name: N) => Settings[N]): string =>
  `${get('notifications.smtpHost') ?? 'no mail server'}:${get('notifications.smtpPort')} (${get('notifications.smtpSecurity')})`

/** The address as text. Amazon Bedrock without an endpoint is reached by its region. */
function addressText({ provider, baseUrl, region }: AiAddress<string>): string {
  return JSON.stringify(region === undefined ? [provider, baseUrl] : [provider, baseUrl, region])
}

/** The address of a secret, as people read it. */
export function readableAddress(address: string): string {
  if (!address.startsWith('[')) return address
  const [provider, ...place] = JSON.parse(address) as (string | null)[]
  return provider == null ? 'no provider' : [provider, ...place.filter((each) => each != null)].join(' at ')
}
