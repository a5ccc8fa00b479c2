import { z } from 'zod'
import { ScheduleText } from '../freshness/refresh-schedule.ts'
import { readPublicKey } from '../keys/key-pair.ts'
import { AllowedHost, allowedHostsRule } from '../network/allowed-host.ts'
import { BaseUrl, ModelUrl } from '../schemas/base-url.ts'
import { siteOf } from '../schemas/confluence-site.ts'
import { AppId, GitHostList, UserName } from '../schemas/git-host-list.ts'
import { hasPassphrase, isPrivateKey } from '../schemas/private-key.ts'
import { RefName } from '../schemas/ref-name.ts'
import { shortText } from '../schemas/short-text.ts'
import { SsoIssuerList } from '../schemas/sso-issuer.ts'
import { withoutEnding } from '../text/without-ending.ts'
import { BackupSchedule } from './backup-schedule.ts'
import { isIssuerSecret, isListedSecret, isScimToken, type ListedSecretName } from './listed-secrets.ts'
import { EventName, eventsRule, MailAddress, mailRule, SmtpHost, smtpSecurities, WebhookAddress } from './notification-address.ts'
import { notificationEvents } from './notification-names.ts'
import { SyslogAddress } from './syslog-address.ts'

/** A boolean from JSON or from the command line: `true` or `"true"`. */
const switchOf = (unset: boolean) =>
  z
    .union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')], 'must be true or false')
    .default(unset)
    .describe('true or false')
const Switch = switchOf(false)
const SwitchOn = switchOf(true)

/** A whole number from JSON or from the command line. */
function wholeNumber(min: number, max: number) {
  const rule = `must be a whole number from ${min} to ${max}`
  const digits = z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
  return z.union([z.number(), digits], rule).pipe(z.int(rule).min(min, rule).max(max, rule))
}

const keepRule = 'must be a whole number from 0 to 1000'
const Keep = z
  .union(
    [
      z.number(),
      z
        .string()
        .regex(/^\d{1,4}$/)
        .transform(Number),
    ],
    keepRule,
  )
  .pipe(z.int(keepRule).min(0, keepRule).max(1_000, keepRule))
const folderRule = 'must be the absolute path of a folder'
const Folder = z
  .string(folderRule)
  .max(1_000, folderRule)
  .regex(/^\/\P{Cc}*$/u, folderRule)

const fileRule = 'must be a path in the repository such as carrel.yaml or install/carrel.yaml'
const FileInRepository = z
  .string(fileRule)
  .max(500, fileRule)
  .regex(/^(?!\.git(?:\/|$))[^\p{Cc}\\/]+(?:\/[^\p{Cc}\\/]+)*$/u, fileRule)
  .refine((path) => !path.split('/').some((name) => name === '.' || name === '..'), fileRule)

const originRule = 'must be origins such as https://app.example.com, separated by commas'
const Origin = z.string(originRule).refine((text) => URL.parse(text)?.origin === text && /^https?:/.test(text), {
  error: originRule,
})

const packageRule = 'must be the name of an npm package, such as @example/carrel or @example/carrel@2.0.0'
/** It becomes part of a command that people copy, so it holds nothing that a shell or npx could read as more than a name. */
const PackageName = z
  .string(packageRule)
  .max(214, packageRule)
  .regex(/^(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*(?:@[A-Za-z0-9][A-Za-z0-9.+-]*)?$/, packageRule)

const publicKeyRule = 'must be Ed25519 public keys in PEM, not private keys'
const PublicKey = z.string(publicKeyRule).transform((text, context) => {
  const pem = readPublicKey(text)
  if (pem !== undefined) return pem.trim()
  context.addIssue({ code: 'custom', message: publicKeyRule })
  return z.NEVER
})

/** A list from JSON, or one text that `split` divides. */
const listOf = <Item extends z.ZodType<string, string>>(item: Item, rule: string, split: (text: string) => string[]) =>
  z
    .union([z.string().max(100_000).transform(split), z.array(z.string())], rule)
    .pipe(z.array(item).max(100, 'must not be more than 100'))

const words = (text: string): string[] => text.split(/[\s,]+/).filter((part) => part !== '')
/** All events by default, so that a channel needs only its address. */
const Events = listOf(EventName, eventsRule, words)
  .default([...notificationEvents])
  .describe(notificationEvents.join(', '))

const llmProviders = ['bedrock', 'openai', 'anthropic', 'gemini', 'custom'] as const
const embeddingProviders = ['auto', 'none', 'bedrock', 'openai', 'gemini', 'custom', 'local'] as const
/** The reranker: the language model if there is one, or a cross-encoder of this install. */
const rerankers = ['llm', 'local'] as const
const oneOf = <const Names extends readonly string[]>(names: Names) =>
  z
    .enum(names, `must be one of ${names.join(', ')}`)
    .optional()
    .describe(names.join(', '))
const gitAddress = 'an https address'
const modelAddress = 'an address: https, or http in a private network'
const modelName = 'a name that the provider knows'
const folderName = 'a folder in DATA_DIR/models'

/** The settings of an operator with their defaults and, as descriptions, their allowed values. Read at each use, so a change needs no restart. */
export const Settings = z.object({
  'github.baseUrl': BaseUrl.default('https://github.com').describe(gitAddress),
  'gitlab.baseUrl': BaseUrl.default('https://gitlab.com').describe(gitAddress),
  'sources.allowedHosts': listOf(AllowedHost, allowedHostsRule, (text) => text.split(/[\s,]+/).filter((part) => part !== ''))
    .default([])
    .describe('hosts such as docs.example.com or *.example.com'),
  'git.repositoryFacts': SwitchOn,
  'github.appId': AppId.optional().describe('the App ID or Client ID of a GitHub App'),
  'git.hosts': GitHostList.default([]).describe('a JSON list of hosts'),
  'confluence.baseUrl': BaseUrl.transform(siteOf).optional().describe(gitAddress),
  'confluence.user': UserName.optional().describe('an e-mail address or a user name'),
  'llm.provider': oneOf(llmProviders),
  'llm.model': shortText(200).optional().describe(modelName),
  'llm.baseUrl': ModelUrl.optional().describe(modelAddress),
  'llm.rerank': z
    .enum(rerankers, `must be one of ${rerankers.join(', ')}`)
    .default('llm')
    .describe(rerankers.join(', ')),
  'llm.rerankModel': shortText(200).optional().describe(folderName),
  'embedding.provider': z
    .enum(embeddingProviders, `must be one of ${embeddingProviders.join(', ')}`)
    .default('auto')
    .describe(embeddingProviders.join(', ')),
  'embedding.approved': Switch,
  'embedding.model': shortText(200).optional().describe(`${modelName}, or ${folderName}`),
  'embedding.baseUrl': ModelUrl.optional().describe(modelAddress),
  'embedding.dimensions': wholeNumber(1, 16_384).optional().describe('1 to 16384'),
  'embedding.weight': wholeNumber(0, 300).optional().describe('0 to 300'),
  'models.hub': ModelUrl.default('https://huggingface.co').describe(modelAddress),
  'aws.region': z
    .string('must be a text')
    .regex(/^[a-z]{2,4}(-[a-z]{2,12}){1,3}-\d{1,2}$/, 'must be a region such as eu-central-1')
    .optional()
    .describe('a region such as eu-central-1'),
  'permissions.anonymousParse': Switch,
  'permissions.anonymousRefresh': Switch,
  'permissions.anonymousDelete': Switch,
  'permissions.anonymousSupportBundle': Switch,
  'permissions.anonymousMetrics': Switch,
  'permissions.hostMinutes': wholeNumber(1, 240).default(15).describe('1 to 240'),
  'permissions.requireMcpAuth': Switch,
  'permissions.hidePrivate': Switch,
  'permissions.privateChosen': Switch,
  'sessions.absoluteHours': wholeNumber(0, 8_760).default(0).describe('0 to 8760; 0 is no limit'),
  'sessions.idleHours': wholeNumber(1, 168).default(168).describe('1 to 168'),
  'mcp.allowedOrigins': listOf(Origin, originRule, words).default([]).describe('origins such as https://app.example.com'),
  'audit.reads': Switch,
  'audit.syslog': SyslogAddress.optional().describe('tls://HOST:PORT, or tcp:// and udp:// in a private network'),
  'audit.retentionDays': wholeNumber(0, 36_500).default(0).describe('0 to 36500; 0 keeps all'),
  'feedback.enabled': Switch,
  'feedback.retentionDays': wholeNumber(1, 365).default(30).describe('1 to 365'),
  'setup.package': PackageName.optional().describe('an npm package such as @example/carrel'),
  'refresh.schedule': ScheduleText.default('weekly').describe(
    'off, daily, weekly, or five fields of cron and a time zone, such as 30 2 * * 1-5 Europe/Berlin',
  ),
  'refresh.parallel': wholeNumber(1, 32).default(4).describe('1 to 32'),
  'refresh.staleDays': wholeNumber(1, 3_650).default(30).describe('1 to 3650'),
  'backup.schedule': BackupSchedule.optional().describe('6-hourly, daily, weekly, or five fields of cron, in UTC'),
  'backup.keep': Keep.default(7).describe('0 to 1000; 0 keeps all'),
  'backup.folder': Folder.optional().describe('an absolute path'),
  'import.requireSignature': Switch,
  'bundle.trustedKeys': listOf(PublicKey, publicKeyRule, pemBlocks).default([]).describe('Ed25519 public keys in PEM'),
  'notifications.webhookEvents': Events,
  'notifications.slackEvents': Events,
  'notifications.emailEvents': Events,
  'notifications.emailTo': listOf(MailAddress, mailRule, words).default([]).describe('e-mail addresses'),
  'notifications.emailFrom': MailAddress.optional().describe('an e-mail address'),
  'notifications.smtpHost': SmtpHost.optional().describe('a host'),
  'notifications.smtpPort': wholeNumber(1, 65_535).default(587).describe('1 to 65535'),
  'notifications.smtpSecurity': z
    .enum(smtpSecurities, `must be one of ${smtpSecurities.join(', ')}`)
    .default('starttls')
    .describe(smtpSecurities.join(', ')),
  'sso.issuers': SsoIssuerList.default([]).describe('a JSON list of issuers'),
  'sso.localAccounts': SwitchOn,
  'sso.clientRegistration': SwitchOn,
  'accounts.requireSecondFactor': Switch,
  'storage.minFreeMb': wholeNumber(0, 100_000_000).default(1_000).describe('0 to 100000000; 0 is no limit'),
  'gitops.repository': shortText(500).optional().describe('the address of a repository'),
  'gitops.path': FileInRepository.optional().describe('a path in the repository'),
  'gitops.branch': RefName.optional().describe('a branch or tag'),
  'gitops.schedule': z
    .union([z.literal('manual'), BackupSchedule])
    .default('*/15 * * * *')
    .describe('manual, 6-hourly, daily, weekly, or five fields of cron, in UTC'),
  'gitops.prune': Switch,
})
export type Settings = z.infer<typeof Settings>
export type SettingName = keyof Settings

const maxSecretChars = 8_192
const Secret = shortText(maxSecretChars)
  .regex(/^[\x21-\x7e]*$/, 'must be one word of plain ASCII characters')
  .describe('a secret')
/** Some git servers take the password of a user. It is sent in a header. */
const HostSecret = shortText(maxSecretChars)
  .regex(/^[\x20-\x7e]*$/, 'must be plain ASCII characters')
  .describe('a secret')
/** It proves alone who sends a request, so it must not be guessed. */
const ScimToken = z
  .string('must be a text')
  .trim()
  .min(32, 'must have at least 32 characters: openssl rand -base64 48')
  .max(1_000, 'must not be longer than 1000 characters')
  .regex(/^[\x21-\x7e]*$/, 'must be one word of plain ASCII characters')
  .describe('a secret')
/** The text as it is sent, with spaces and any characters. Line ends around it come from the file or terminal that it was copied from. */
export const Password = z
  .string('must be a text')
  .overwrite((text) => withoutEnding(text.replace(/^[\r\n]+/, ''), '\r\n'))
  .min(1, 'must not be empty')
  .max(maxSecretChars, `must not be longer than ${maxSecretChars} characters`)
  .regex(/^\P{Cc}*$/u, 'must be one line without control characters')
  .describe('a secret')

/** The private key of a GitHub App or of a deploy key, or what `other` accepts. */
const orPrivateKey = (other: z.ZodType<string>) =>
  z
    .string('must be a text')
    .transform((text, context) => {
      const refuse = (message: string) => {
        context.addIssue({ code: 'custom', message })
        return z.NEVER
      }
      if (!text.includes('-----BEGIN')) {
        const { data, error } = other.safeParse(text)
        return data ?? refuse(error?.issues[0]?.message ?? 'is invalid')
      }
      const key = text.replaceAll('\r\n', '\n').trim()
      if (key.length > maxSecretChars || !isPrivateKey(key)) return refuse('is not a private key in PEM or of OpenSSH')
      return hasPassphrase(key) ? refuse('is a key with a passphrase; make a deploy key without one: ssh-keygen -N ""') : key
    })
    .describe('a secret')

/** Settings that are stored encrypted and never shown again, except their last four characters. */
export const Secrets = z.object({
  'github.token': orPrivateKey(Secret),
  'gitlab.token': Secret,
  'confluence.token': Secret,
  'llm.apiKey': Secret,
  'embedding.apiKey': Secret,
  'audit.webhookUrl': WebhookAddress.describe('an address: https, or http in a private network'),
  'audit.webhookKey': Secret,
  'notifications.webhookUrl': WebhookAddress.describe('an address: https, or http in a private network'),
  'notifications.webhookKey': Secret,
  'notifications.slackUrl': WebhookAddress.describe('an address: https, or http in a private network'),
  'notifications.smtpUser': shortText(maxSecretChars).describe('a secret'),
  'notifications.smtpPassword': Password,
})
export type SecretName = keyof z.infer<typeof Secrets>

export const secretSchema = (name: SecretName | ListedSecretName) => {
  if (isScimToken(name)) return ScimToken
  if (isIssuerSecret(name)) return HostSecret
  return Object.hasOwn(Secrets.shape, name) ? Secrets.shape[name as SecretName] : orPrivateKey(HostSecret)
}

export const settingNames: readonly SettingName[] = Settings.keyof().options
export const secretNames: readonly SecretName[] = Secrets.keyof().options

export const isSetting = (name: string): name is SettingName => Object.hasOwn(Settings.shape, name)
export const isSecret = (name: string): name is SecretName | ListedSecretName =>
  Object.hasOwn(Secrets.shape, name) || isListedSecret(name)

function pemBlocks(text: string): string[] {
  const blocks = text.split(/(?=-----BEGIN )/).map((block) => block.trim())
  return blocks.filter((block) => block !== '')
}
