const words: Record<string, string> = {
  'setting.change': 'changed the setting',
  'setting.drop': 'dropped the secret',
  'setting.unset': 'cleared the setting',
  'user.create': 'added the user',
  'user.username': 'renamed the user',
  'user.password': 'reset the password of',
  'user.revokeKeys': 'revoked all keys of',
  'user.role': 'changed the role of',
  'user.disabled': 'disabled or enabled',
  'user.delete': 'deleted the user',
  'credentials.change': 'changed the password of',
  'key.create': 'created the key',
  'key.revoke': 'revoked the key',
  'host.remember': 'signed in under the new name',
  'policy.change': 'changed the policy',
  'library.delete': 'deleted the library',
  'library.import': 'imported the library',
  'library.reindex': 'indexed again',
  'backup.create': 'made the backup',
  'backup.download': 'downloaded the backup',
  'backup.delete': 'deleted the backup',
  'backup.restore': 'restored the backup',
  'content.remove': 'removed content',
}

/** An action of the audit log in words, between who and what. */
export const auditAction = (action: string): string => words[action] ?? action
