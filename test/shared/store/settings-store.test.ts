import type { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { notificationEvents } from '../../../shared/settings/notification-names.ts'
import { secretBox } from '../../../shared/settings/secret-box.ts'
import { openDatabase } from '../../../shared/store/database.ts'
import { type SettingsStore, sqliteSettings } from '../../../shared/store/settings-store.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

let dataDir: string
let db: DatabaseSync
let settings: SettingsStore

beforeEach(() => {
  dataDir = tempDir()
  db = openDatabase(dataDir)
  onTestFinished(() => db.close())
  settings = sqliteSettings(db, secretBox(dataDir))
})

describe('the settings', () => {
  test('have exactly these names and defaults in a new install', () => {
    expect(settings.describe()).toEqual({
      'github.token': null,
      'github.baseUrl': 'https://github.com',
      'gitlab.token': null,
      'gitlab.baseUrl': 'https://gitlab.com',
      'github.appId': null,
      'git.hosts': [],
      'git.repositoryFacts': true,
      'gitops.branch': null,
      'gitops.path': null,
      'gitops.prune': false,
      'gitops.repository': null,
      'gitops.schedule': '*/15 * * * *',
      'refresh.parallel': 4,
      'refresh.schedule': 'weekly',
      'refresh.staleDays': 30,
      'llm.provider': null,
      'llm.rerank': 'llm',
      'llm.rerankModel': null,
      'llm.apiKey': null,
      'llm.model': null,
      'llm.baseUrl': null,
      'embedding.provider': 'auto',
      'embedding.approved': false,
      'embedding.apiKey': null,
      'embedding.model': null,
      'embedding.baseUrl': null,
      'embedding.dimensions': null,
      'embedding.weight': null,
      'models.hub': 'https://huggingface.co',
      'aws.region': null,
      'permissions.anonymousParse': false,
      'permissions.anonymousRefresh': false,
      'permissions.anonymousDelete': false,
      'permissions.anonymousSupportBundle': false,
      'permissions.anonymousMetrics': false,
      'permissions.hostMinutes': 15,
      'permissions.requireMcpAuth': false,
      'permissions.hidePrivate': false,
      'permissions.privateChosen': false,
      'audit.reads': false,
      'audit.syslog': null,
      'audit.webhookUrl': null,
      'audit.webhookKey': null,
      'audit.retentionDays': 0,
      'feedback.enabled': false,
      'feedback.retentionDays': 30,
      'backup.folder': null,
      'backup.keep': 7,
      'backup.schedule': null,
      'notifications.webhookUrl': null,
      'notifications.webhookKey': null,
      'notifications.webhookEvents': [...notificationEvents],
      'notifications.slackUrl': null,
      'notifications.slackEvents': [...notificationEvents],
      'notifications.emailTo': [],
      'notifications.emailFrom': null,
      'notifications.emailEvents': [...notificationEvents],
      'notifications.smtpHost': null,
      'notifications.smtpPort': 587,
      'notifications.smtpSecurity': 'starttls',
      'notifications.smtpUser': null,
      'notifications.smtpPassword': null,
      'confluence.baseUrl': null,
      'confluence.user': null,
      'confluence.token': null,
      'sources.allowedHosts': [],
      'sso.issuers': [],
      'sso.localAccounts': true,
      'sso.clientRegistration': true,
      'accounts.requireSecondFactor': false,
      'storage.minFreeMb': 1_000,
      'sessions.absoluteHours': 0,
      'sessions.idleHours': 168,
      'mcp.allowedOrigins': [],
      'setup.package': null,
      'import.requireSignature': false,
      'bundle.trustedKeys': [],
    })
  })

  test('default to github.com, gitlab.com, disabled switches and no origins', () => {
    expect(settings.get('github.baseUrl')).toBe('https://github.com')
    expect(settings.get('gitlab.baseUrl')).toBe('https://gitlab.com')
    expect(settings.get('permissions.anonymousDelete')).toBe(false)
    expect(settings.get('mcp.allowedOrigins')).toEqual([])
    expect(settings.get('llm.provider')).toBeUndefined()
    expect(settings.getSecret('github.token')).toBeUndefined()
  })

  test('are read as they were stored, and null clears them', () => {
    settings.change({
      'permissions.anonymousParse': true,
      'embedding.dimensions': 256,
      'mcp.allowedOrigins': ['https://a.example'],
    })
    expect(settings.get('permissions.anonymousParse')).toBe(true)
    expect(settings.get('embedding.dimensions')).toBe(256)
    expect(settings.get('mcp.allowedOrigins')).toEqual(['https://a.example'])
    settings.change({ 'permissions.anonymousParse': null, 'embedding.dimensions': null })
    expect(settings.get('permissions.anonymousParse')).toBe(false)
    expect(settings.describe()['embedding.dimensions']).toBeNull()
  })

  test('are visible as soon as another process changes them', () => {
    const other = openDatabase(dataDir)
    sqliteSettings(other, secretBox(dataDir)).change({ 'permissions.requireMcpAuth': true, 'gitlab.token': 'glpat-0123456789' })
    other.close()
    expect(settings.get('permissions.requireMcpAuth')).toBe(true)
    expect(settings.getSecret('gitlab.token')).toBe('glpat-0123456789')
  })

  test('stay unchanged if one of several changes is rejected', () => {
    expect(() => settings.change({ 'llm.model': 'm', 'permissions.anonymousParse': 'perhaps' })).toThrow(
      'permissions.anonymousParse must be true or false.',
    )
    expect(settings.get('llm.model')).toBeUndefined()
  })
})

describe('a secret', () => {
  test('is shown by its last four characters and stored encrypted', () => {
    settings.change({ 'github.token': 'ghp_supersecret1234' })
    expect(settings.describe()['github.token']).toEqual({ set: true, last4: '1234' })
    expect(settings.getSecret('github.token')).toBe('ghp_supersecret1234')
    expect(JSON.stringify(db.prepare('SELECT * FROM settings').all())).not.toContain('1234')
  })

  test('is shown without any of its characters if it is too short', () => {
    settings.change({ 'github.token': 'seven77' })
    expect(settings.describe()['github.token']).toEqual({ set: true, last4: '' })
  })

  test('is still listed with a lost key file, and only its use fails', () => {
    settings.change({ 'github.token': 'ghp_supersecret1234' })
    const elsewhere = sqliteSettings(db, secretBox(tempDir()))
    expect(elsewhere.describe()['github.token']).toEqual({ set: true, last4: '' })
    expect(() => elsewhere.getSecret('github.token')).toThrow('A stored secret cannot be read')
  })

  test('is bound to the address that is saved together with it, in either order', () => {
    settings.change({ 'github.token': 'ghp_supersecret1234', 'github.baseUrl': 'https://ghe.example.com' })
    expect(settings.getSecret('github.token')).toBe('ghp_supersecret1234')
  })

  test.each([
    ['github.token', { 'github.baseUrl': 'https://ghe.example.com' }],
    ['gitlab.token', { 'gitlab.baseUrl': 'https://gitlab.example.com' }],
    ['llm.apiKey', { 'llm.provider': 'anthropic' }],
    ['llm.apiKey', { 'llm.baseUrl': 'https://llm.example.com/v1' }],
    ['embedding.apiKey', { 'embedding.provider': 'gemini' }],
    ['embedding.apiKey', { 'embedding.baseUrl': 'https://llm.example.com/v1' }],
    ['embedding.apiKey', { 'llm.provider': 'gemini' }],
    ['embedding.apiKey', { 'llm.baseUrl': 'https://llm.example.com/v1' }],
  ] as const)('is dropped (%s) by the change %j, and does not return with the old address', (secret, change) => {
    settings.change({ [secret]: 'sk-0123456789' })
    expect(settings.change(change).dropped).toContain(secret)
    expect(settings.describe()[secret]).toBeNull()
    settings.change(Object.fromEntries(Object.keys(change).map((name) => [name, null])))
    expect(settings.getSecret(secret)).toBeUndefined()
  })

  test.each([
    ['its address was only spelled out', 'github.token', { 'github.baseUrl': 'https://github.com/' }],
    ['another host changed', 'github.token', { 'gitlab.baseUrl': 'https://gitlab.example.com' }],
    ['the model changed', 'llm.apiKey', { 'llm.model': 'other', 'aws.region': 'eu-central-1' }],
    ['the embedding provider is named as it was inherited', 'embedding.apiKey', { 'embedding.provider': 'openai' }],
  ] as const)('is kept if %s', (_, secret, change) => {
    settings.change({ 'llm.provider': 'openai' })
    settings.change({ [secret]: 'sk-0123456789' })
    expect(settings.change(change)).toEqual({ dropped: [] })
    expect(settings.getSecret(secret)).toBe('sk-0123456789')
  })

  test.each([
    ['its region', { 'aws.region': 'us-east-1' }],
    ['its endpoint', { 'llm.baseUrl': 'https://vpce-1.bedrock.example', 'embedding.baseUrl': 'https://vpce-1.bedrock.example' }],
  ])('is dropped for Bedrock with %s', (_, change) => {
    settings.change({ 'llm.provider': 'bedrock', 'aws.region': 'eu-central-1' })
    settings.change({ 'llm.apiKey': 'ABSK-0123456789', 'embedding.apiKey': 'ABSK-9876543210' })
    expect(settings.change(change).dropped.sort()).toEqual(['embedding.apiKey', 'llm.apiKey'])
  })

  test('is dropped for embeddings with the address of the LLM of the same provider, if it has no other', () => {
    settings.change({ 'llm.provider': 'openai', 'embedding.provider': 'openai', 'embedding.apiKey': 'sk-0123456789' })
    expect(settings.change({ 'llm.baseUrl': 'https://llm.example.com/v1' })).toEqual({ dropped: ['embedding.apiKey'] })
  })

  test('is kept for embeddings if only the LLM changes and the embeddings have another provider', () => {
    settings.change({ 'llm.provider': 'openai', 'embedding.provider': 'gemini', 'embedding.apiKey': 'AIza-0123456789' })
    expect(settings.change({ 'llm.provider': 'anthropic' })).toEqual({ dropped: [] })
    expect(settings.getSecret('embedding.apiKey')).toBe('AIza-0123456789')
  })

  test('is not sent elsewhere by someone who can write the database but cannot read the key file', () => {
    settings.change({ 'github.token': 'ghp_supersecret1234' })
    db.exec(`INSERT INTO settings (name, value) VALUES ('github.baseUrl', '"https://evil.example"')`)
    expect(settings.getSecret('github.token')).toBeUndefined()
    db.exec(`UPDATE settings SET address = 'https://evil.example' WHERE name = 'github.token'`)
    expect(() => settings.getSecret('github.token')).toThrow('A stored secret cannot be read')
  })
})

describe('settings on trial', () => {
  test('take precedence over the stored ones, and are not stored', () => {
    settings.change({ 'llm.model': 'stored', 'aws.region': 'eu-central-1', 'permissions.requireMcpAuth': true })
    const before = settings.describe()
    const tried = settings.withChanges({
      'llm.model': 'tried',
      'permissions.requireMcpAuth': null,
      'llm.apiKey': 'sk-0123456789',
    })
    expect(tried.get('llm.model')).toBe('tried')
    expect(tried.get('aws.region')).toBe('eu-central-1')
    expect(tried.get('permissions.requireMcpAuth')).toBe(false)
    expect(tried.getSecret('llm.apiKey')).toBe('sk-0123456789')
    expect(settings.describe()).toEqual(before)
  })

  test('have a stored secret only at its own address', () => {
    settings.change({ 'llm.provider': 'openai', 'llm.apiKey': 'sk-0123456789' })
    expect(settings.withChanges({ 'llm.model': 'x' }).getSecret('llm.apiKey')).toBe('sk-0123456789')
    expect(settings.withChanges({ 'llm.apiKey': null }).getSecret('llm.apiKey')).toBeUndefined()
    expect(settings.withChanges({ 'llm.provider': 'anthropic' }).getSecret('llm.apiKey')).toBeUndefined()
    expect(settings.withChanges({ 'llm.baseUrl': 'https://evil.example' }).getSecret('llm.apiKey')).toBeUndefined()
    expect(settings.getSecret('llm.apiKey')).toBe('sk-0123456789')
  })

  test('are validated like a change', () => {
    expect(() => settings.withChanges({ 'llm.provider': 'mistral' })).toThrow('llm.provider must be one of')
    expect(() => settings.withChanges({ 'llm.modle': 'x' })).toThrow('There is no setting "llm.modle"')
  })
})
