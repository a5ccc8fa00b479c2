import { type Command, Option } from 'commander'
import { z } from 'zod'
import { printAnswer, printRemark } from '../../../shared/cli/print.ts'
import { type Columns, jsonOption, printList } from '../../../shared/cli/print-list.ts'
import { readOption } from '../../../shared/cli/read-option.ts'
import { AppError } from '../../../shared/errors.ts'
import { type ListedKey, roles, scopes } from '../../access/teamspaces.ts'
import type { UseAdmin } from '../api/admin.ts'

const columns: Columns<ListedKey> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  key: ({ prefix }) => prefix,
  role: ({ role }) => role,
  scope: ({ scope }) => scope,
  created: ({ createdAt }) => createdAt,
  'created by': ({ createdBy }) => createdBy,
  expires: ({ expiresAt }) => expiresAt ?? 'never',
  'last used': ({ usedDay }) => usedDay ?? 'never',
  revoked: ({ revokedAt }) => revokedAt,
}

const Expiry = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], 'must be a date such as 2030-01-31 or 2030-01-31T12:00:00Z')
  .transform((date) => new Date(date).toISOString())
  .optional()

type CreateOptions = { teamspace: string; name?: string; role: string; scope: string; expires?: string }

export function keyCommands(program: Command, admin: UseAdmin): void {
  const key = program.command('key').description('keys of teamspaces')
  key
    .command('create')
    .description('create a key and print it; it is shown only once')
    .requiredOption('--teamspace <name>', 'the teamspace of the key')
    .option('--name <name>', 'the purpose of the key')
    .addOption(new Option('--role <role>', 'the rights of its user').choices(roles).default('admin'))
    .addOption(new Option('--scope <scope>', 'what the key is for, up to those rights').choices(scopes).default('admin'))
    .option('--expires <date>', 'when it expires, such as 2030-01-31 (00:00 UTC) or 2030-01-31T12:00:00Z')
    .action(async ({ expires, ...options }: CreateOptions) => {
      const expiresAt = readOption('--expires', Expiry, expires)
      const made = await admin(({ run }) => run<{ id: string; key: string }>('createKey', { ...options, expiresAt }))
      printAnswer(made.key)
      printRemark(`key ${made.id} of teamspace ${options.teamspace}.`)
    })
  key
    .command('list')
    .description('list the keys of a teamspace with their rights and last use')
    .requiredOption('--teamspace <name>', 'the teamspace of the keys')
    .addOption(jsonOption())
    .action(async ({ teamspace, json }: { teamspace: string; json?: boolean }) => {
      const listed = await admin(({ run }) => run<ListedKey[]>('listKeys', { name: teamspace }))
      printList(columns, listed, { json, none: 'The teamspace has no keys.' })
    })
  key
    .command('revoke')
    .description('revoke a key immediately')
    .argument('<id>', 'the id that "hosted key create" printed')
    .action(async (id: string) => {
      const { known } = await admin(({ run }) => run<{ known: boolean }>('revokeKey', { id }))
      if (!known) throw new AppError('not_found', `There is no key with the id "${id}".`)
    })
}
