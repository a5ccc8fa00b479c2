import { isHostSecret } from '../../shared/settings/git-secrets.ts'
import { isIssuerSecret, type ListedSecretName } from '../../shared/settings/listed-secrets.ts'
import type { SecretName, SettingName } from '../../shared/settings/settings.ts'

type Declarable = 'git' | 'file' | 'none'

/**
 * Says who may declare a setting in a file. `git`: also the followed repository. `file`: only an admin who applies the file. `none`: nobody.
 * A followed repository sets no address that a secret is sent to, no permission, no host, nothing that deletes or reveals data, and no software.
 * Of secrets, it names one that was stored for the same setting.
 */
export const declarableSettings: Record<SettingName | SecretName, Declarable> = {
  'github.baseUrl': 'file',
  'github.appId': 'file',
  'github.token': 'git',
  'gitlab.baseUrl': 'file',
  'gitlab.token': 'git',
  'confluence.baseUrl': 'file',
  'confluence.user': 'file',
  'confluence.token': 'git',
  'sources.allowedHosts': 'file',
  'git.repositoryFacts': 'file',
  'git.hosts': 'file',
  'refresh.schedule': 'git',
  'refresh.parallel': 'git',
  'refresh.staleDays': 'git',
  'llm.provider': 'file',
  'llm.model': 'file',
  'llm.baseUrl': 'file',
  'llm.apiKey': 'git',
  'llm.rerank': 'git',
  'llm.rerankModel': 'file',
  'embedding.provider': 'file',
  // It records a choice of an admin.
  'embedding.approved': 'none',
  'embedding.model': 'file',
  'embedding.baseUrl': 'file',
  'embedding.apiKey': 'git',
  'embedding.dimensions': 'file',
  'embedding.weight': 'git',
  'models.hub': 'file',
  'aws.region': 'file',
  'permissions.anonymousParse': 'file',
  'permissions.anonymousRefresh': 'file',
  'permissions.anonymousDelete': 'file',
  'permissions.anonymousSupportBundle': 'file',
  'permissions.anonymousMetrics': 'file',
  'permissions.hostMinutes': 'file',
  'permissions.requireMcpAuth': 'file',
  'permissions.hidePrivate': 'file',
  'permissions.privateChosen': 'none',
  'sessions.absoluteHours': 'file',
  'sessions.idleHours': 'file',
  'mcp.allowedOrigins': 'file',
  'audit.reads': 'file',
  'audit.syslog': 'file',
  'audit.webhookUrl': 'file',
  'audit.webhookKey': 'file',
  'audit.retentionDays': 'file',
  'feedback.enabled': 'file',
  'feedback.retentionDays': 'file',
  'setup.package': 'file',
  'backup.schedule': 'git',
  'backup.keep': 'file',
  'backup.folder': 'file',
  'import.requireSignature': 'file',
  'bundle.trustedKeys': 'file',
  'notifications.webhookUrl': 'file',
  'notifications.webhookKey': 'file',
  'notifications.webhookEvents': 'file',
  'notifications.slackUrl': 'file',
  'notifications.slackEvents': 'file',
  'notifications.emailTo': 'file',
  'notifications.emailFrom': 'file',
  'notifications.emailEvents': 'file',
  'notifications.smtpHost': 'file',
  'notifications.smtpPort': 'file',
  'notifications.smtpSecurity': 'file',
  'notifications.smtpUser': 'file',
  'notifications.smtpPassword': 'file',
  'sso.issuers': 'file',
  'sso.localAccounts': 'file',
  'sso.clientRegistration': 'file',
  'accounts.requireSecondFactor': 'file',
  'storage.minFreeMb': 'git',
  // A repository would follow another one, or delete what an admin keeps.
  'gitops.repository': 'none',
  'gitops.path': 'none',
  'gitops.branch': 'none',
  'gitops.schedule': 'none',
  'gitops.prune': 'none',
}

/** The rule of a setting, or of the token of a further git host, which is that of the other tokens. Only an admin sets the secret of an issuer. */
export function declarableBy(name: SettingName | SecretName | ListedSecretName): Declarable {
  if (isIssuerSecret(name)) return 'file'
  return isHostSecret(name) ? declarableSettings['github.token'] : declarableSettings[name]
}
