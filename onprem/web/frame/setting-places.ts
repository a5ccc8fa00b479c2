import type { SecretName, SettingName } from '../../../shared/settings/settings.ts'

/** The label of a setting, and the page whose field it is. Only the command line and the API change one without a page. */
type Place = {
  label: string
  page?:
    | '/settings/declared-in-git'
    | '/settings/ai-provider'
    | '/settings/embedding'
    | '/settings/git-hosts'
    | '/settings/refreshes'
    | '/settings/permissions'
    | '/settings/single-sign-on'
    | '/settings/users'
    | SystemPage
}
type SystemPage =
  | '/settings/audit-log'
  | '/settings/feedback'
  | '/settings/notifications'
  | '/settings/backups'
  | '/settings/about'

const llm = { page: '/settings/ai-provider' } as const
const embedding = { page: '/settings/embedding' } as const
const git = { page: '/settings/git-hosts' } as const
const refreshes = { page: '/settings/refreshes' } as const
const permissions = { page: '/settings/permissions' } as const
const sso = { page: '/settings/single-sign-on' } as const
const users = { page: '/settings/users' } as const
const gitops = { page: '/settings/declared-in-git' } as const
const notifications = { page: '/settings/notifications' } as const
const audit = { page: '/settings/audit-log' } as const
const backups = { page: '/settings/backups' } as const

const settingPlaces: Record<SettingName | SecretName, Place> = {
  'github.baseUrl': { label: 'GitHub address', ...git },
  'github.appId': { label: 'GitHub App', ...git },
  'github.token': { label: 'GitHub Token', ...git },
  'gitlab.baseUrl': { label: 'GitLab address', ...git },
  'gitlab.token': { label: 'GitLab Token', ...git },
  'confluence.baseUrl': { label: 'Confluence address', ...refreshes },
  'confluence.user': { label: 'Confluence user', ...refreshes },
  'confluence.token': { label: 'Confluence token', ...refreshes },
  'sources.allowedHosts': { label: 'Allowed hosts', ...refreshes },
  'git.repositoryFacts': { label: 'facts of repositories' },
  'git.hosts': { label: 'Other git hosts', ...git },
  'llm.provider': { label: 'LLM Provider', ...llm },
  'llm.model': { label: 'LLM Model', ...llm },
  'llm.baseUrl': { label: 'Base URL', ...llm },
  'llm.apiKey': { label: 'LLM API Key', ...llm },
  'llm.rerank': { label: 'Answers are reranked by', ...llm },
  'llm.rerankModel': { label: 'Model folder', ...llm },
  'embedding.provider': { label: 'Embedding Provider', ...embedding },
  'embedding.approved': { label: 'Embedding Provider', ...embedding },
  'embedding.model': { label: 'Embedding Model', ...embedding },
  'embedding.baseUrl': { label: 'Embedding base URL', ...embedding },
  'embedding.apiKey': { label: 'Embedding API Key', ...embedding },
  'embedding.dimensions': { label: 'Dimensions', ...embedding },
  'embedding.weight': { label: 'weight of the vectors' },
  'models.hub': { label: 'address of the model hub' },
  'aws.region': { label: 'AWS Region', ...llm },
  'permissions.anonymousParse': { label: 'Allow anonymous parse', ...permissions },
  'permissions.anonymousRefresh': { label: 'Allow anonymous refresh', ...permissions },
  'permissions.anonymousDelete': { label: 'Allow anonymous delete', ...permissions },
  'permissions.anonymousSupportBundle': { label: 'Allow anonymous support bundle', ...permissions },
  'permissions.hostMinutes': { label: 'minutes between questions to git hosts about readers' },
  'permissions.anonymousMetrics': { label: 'Allow anonymous metrics', ...permissions },
  'permissions.requireMcpAuth': { label: 'Require MCP authentication', ...permissions },
  'permissions.hidePrivate': { label: 'Require authentication for private libraries', ...permissions },
  'permissions.privateChosen': { label: 'Require authentication for private libraries', ...permissions },
  'sessions.absoluteHours': { label: 'Longest time', ...users },
  'sessions.idleHours': { label: 'Longest time without use', ...users },
  'mcp.allowedOrigins': { label: 'allowed web pages' },
  'audit.reads': { label: 'Record reads', ...audit },
  'audit.syslog': { label: 'Syslog', ...audit },
  'audit.webhookUrl': { label: 'Webhook', ...audit },
  'audit.webhookKey': { label: 'Signing key', ...audit },
  'audit.retentionDays': { label: 'Days', ...audit },
  'feedback.enabled': { label: 'Keep feedback', page: '/settings/feedback' },
  'feedback.retentionDays': { label: 'Days', page: '/settings/feedback' },
  'setup.package': { label: 'Package', page: '/settings/about' },
  'refresh.schedule': { label: 'Refresh schedule', ...refreshes },
  'refresh.parallel': { label: 'Refreshes at the same time', ...refreshes },
  'refresh.staleDays': { label: 'Days until a library is stale', ...refreshes },
  'backup.schedule': { label: 'Schedule', ...backups },
  'backup.keep': { label: 'Number to keep', ...backups },
  'backup.folder': { label: 'Folder', ...backups },
  'import.requireSignature': { label: 'signature of bundles' },
  'bundle.trustedKeys': { label: 'trusted keys of bundles' },
  'notifications.webhookUrl': { label: 'Webhook address', ...notifications },
  'notifications.webhookKey': { label: 'Signing key', ...notifications },
  'notifications.webhookEvents': { label: 'Events of the webhook', ...notifications },
  'notifications.slackUrl': { label: 'Chat address', ...notifications },
  'notifications.slackEvents': { label: 'Events of the chat', ...notifications },
  'notifications.emailTo': { label: 'Receivers', ...notifications },
  'notifications.emailFrom': { label: 'Sender', ...notifications },
  'notifications.emailEvents': { label: 'Events by e-mail', ...notifications },
  'notifications.smtpHost': { label: 'Mail server', ...notifications },
  'notifications.smtpPort': { label: 'Port', ...notifications },
  'notifications.smtpSecurity': { label: 'Encryption', ...notifications },
  'notifications.smtpUser': { label: 'User of the mail server', ...notifications },
  'notifications.smtpPassword': { label: 'Password of the mail server', ...notifications },
  'gitops.repository': { label: 'Repository', ...gitops },
  'gitops.path': { label: 'File', ...gitops },
  'gitops.branch': { label: 'Branch', ...gitops },
  'gitops.schedule': { label: 'Check for changes', ...gitops },
  'gitops.prune': { label: 'Libraries that the file no longer names', ...gitops },
  'sso.issuers': { label: 'Issuers', ...sso },
  'accounts.requireSecondFactor': { label: 'Require a second factor', page: '/settings/users' },
  'sso.localAccounts': { label: 'Allow sign-in with a password', ...sso },
  'sso.clientRegistration': { label: 'Let MCP clients register themselves', ...sso },
  'storage.minFreeMb': { label: 'Space to keep free, in MB', page: '/settings/about' },
}

export const placeOf = (name: string): Place | undefined =>
  Object.hasOwn(settingPlaces, name) ? settingPlaces[name as SettingName] : placeOfListed(name)

/** The secrets of the hosts in `git.hosts` and of the issuers in `sso.issuers`. */
function placeOfListed(name: string): Place | undefined {
  const [, host] = /^git\.hosts\.(.+)\.token$/.exec(name) ?? []
  if (host !== undefined) return { label: `Token of ${host}`, ...git }
  const [, issuer, secret] = /^sso\.issuers\.(.+)\.(clientSecret|scimToken)$/.exec(name) ?? []
  if (issuer === undefined) return undefined
  return { label: secret === 'scimToken' ? `Provisioning token of ${issuer}` : `Secret of ${issuer}`, ...sso }
}
