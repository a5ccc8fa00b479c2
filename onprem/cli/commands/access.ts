import type { Command } from 'commander'
import { type Install, withExistingDatabase } from '../../../shared/cli/install.ts'
import { sayDone } from '../../../shared/cli/print.ts'
import { type Columns, jsonOption, printList } from '../../../shared/cli/print-list.ts'
import { readOption } from '../../../shared/cli/read-option.ts'
import { transaction } from '../../../shared/store/database.ts'
import { commandLine } from '../../access/caller.ts'
import { sqliteAudit } from '../../accounts/audit-log.ts'
import { type Group, sqliteGroups } from '../../accounts/group-store.ts'
import { LibraryPattern } from '../../accounts/library-pattern.ts'
import { sqliteLibraryRules } from '../../accounts/library-rules.ts'
import { sqliteUsers } from '../../accounts/user-store.ts'
import {
  createGroup,
  GroupMembers,
  listedRules,
  type ManageAccessPorts,
  membersOf,
  NewGroup,
  RuleInput,
  removeGroup,
  removeRule,
  setMembers,
  setRule,
} from '../../actions/manage-access.ts'

const columns: Columns<RuleInput> = {
  pattern: (rule) => rule.pattern,
  access: (rule) => rule.access,
  groups: (rule) => rule.groups.join(' '),
  users: (rule) => rule.users.join(' '),
}

const groupColumns: Columns<Group> = {
  name: (group) => group.name,
  members: (group) => group.members,
  issuer: (group) => group.issuer,
}

const withAccess = <T>(install: Install, work: (ports: ManageAccessPorts) => T): Promise<T> =>
  withExistingDatabase(install, (db) =>
    work({
      libraryRules: sqliteLibraryRules(db),
      groups: sqliteGroups(db),
      users: sqliteUsers(db, install.now),
      audit: sqliteAudit(db, install.now),
      atomically: (change) => transaction(db, change),
    }),
  )

/** The rules about who may read which libraries. */
export function accessCommands(program: Command, install: Install): void {
  const access = program.command('access').description('who may read which libraries')
  const rule = RuleInput.shape

  access
    .command('list')
    .description('list the rules; the first one whose pattern selects a library decides')
    .addOption(jsonOption())
    .action(async ({ json }: { json?: boolean }) => {
      const rules = await withAccess(install, listedRules)
      printList(columns, rules, { json, none: 'There are no rules: all who may read see every library.' })
    })

  access
    .command('set')
    .description('set who may read the libraries that a pattern selects')
    .argument('<pattern>', 'such as /acme/kit or "/acme/*"')
    .argument('<access>', 'public, internal, restricted or host')
    .option('--groups <names...>', 'with restricted: the groups that may read them')
    .option('--users <names...>', 'with restricted: the users who may read them')
    .action(async (pattern: string, level: string, { groups, users }: { groups?: string[]; users?: string[] }) => {
      const input = {
        pattern: readOption('The pattern', rule.pattern, pattern),
        access: readOption('The access', rule.access, level),
        groups: readOption('--groups', rule.groups, groups),
        users: readOption('--users', rule.users, users),
      }
      await withAccess(install, (ports) => setRule(ports, commandLine, input))
      sayDone(`Libraries that ${input.pattern} selects are ${input.access}.`)
    })

  access
    .command('remove')
    .description('remove the rule of a pattern')
    .argument('<pattern>', 'as listed')
    .action(async (text: string) => {
      const pattern = readOption('The pattern', LibraryPattern, text)
      await withAccess(install, (ports) => removeRule(ports, commandLine, pattern))
      sayDone(`The rule of ${pattern} is removed.`)
    })
}

/** Groups of users, which rules name. */
export function groupsCommands(program: Command, install: Install): void {
  const groups = program.command('groups').description('groups of users, which rules about libraries name')

  groups
    .command('list')
    .description('list the groups with the number of their members')
    .addOption(jsonOption())
    .action(async ({ json }: { json?: boolean }) => {
      const listed = await withAccess(install, (ports) => ports.groups.list())
      printList(groupColumns, listed, { json, none: 'There are no groups. "carrel groups create NAME" creates one.' })
    })

  groups
    .command('create')
    .description('create a group')
    .argument('<name>', 'letters, digits and . _ -')
    .action(async (text: string) => {
      const name = readOption('The name', NewGroup.shape.name, text)
      await withAccess(install, (ports) => createGroup(ports, commandLine, name))
      sayDone(`The group ${name} is created.`)
    })

  groups
    .command('members')
    .description('list the members of a group, or set all of them')
    .argument('<name>', 'as listed')
    .option('--set <users...>', 'the names of all members')
    .option('--none', 'remove all members')
    .action(async (name: string, { set, none }: { set?: string[]; none?: true }) => {
      const users = none ? [] : set && readOption('--set', GroupMembers.shape.users, set)
      if (users) {
        await withAccess(install, (ports) => setMembers(ports, commandLine, name, users))
        sayDone(`The members of ${name} are stored.`)
        return
      }
      const members = await withAccess(install, (ports) => membersOf(ports, name))
      printList({ name: String }, members, { none: `The group ${name} has no members.` })
    })

  groups
    .command('delete')
    .description('delete a group; rules that name it stay')
    .argument('<name>', 'as listed')
    .action(async (name: string) => {
      await withAccess(install, (ports) => removeGroup(ports, commandLine, name))
      sayDone(`The group ${name} is deleted.`)
    })
}
