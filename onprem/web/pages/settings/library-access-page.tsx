import { Badge, Button, Group, Skeleton, Stack, Table, Text, Title } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ActionsHead } from '../../../../shared/web/actions-head.tsx'
import { answerOf, ifMatch } from '../../../../shared/web/api/answer-of.ts'
import { ConfirmButton } from '../../../../shared/web/confirm-button.tsx'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { SettingsSection } from '../../../../shared/web/settings/settings-section.tsx'
import { groupsQuery, type ListedGroup, type ListedRule, libraryRulesQuery } from '../../api/access-queries.ts'
import { api } from '../../api/api.ts'
import { GroupForm } from './group-form.tsx'
import { LibraryRuleForm } from './library-rule-form.tsx'

/** Who may read which libraries, and the groups that rules name. */
export function LibraryAccessPage() {
  const rules = useQuery(libraryRulesQuery)
  const groups = useQuery(groupsQuery)
  const failed = [rules, groups].find(({ isLoadingError }) => isLoadingError)
  return (
    <SettingsSection
      title="Access to libraries"
      about="Without a rule, all who may read see a library; private ones as the page Permissions says. Admins see all libraries. A library that somebody may not see does not exist for them."
    >
      {failed?.error ? (
        <ErrorState error={failed.error} what="The rules cannot be loaded" retry={() => void failed.refetch()} />
      ) : rules.data && groups.data ? (
        <>
          <Rules rules={rules.data} groups={groups.data} />
          <Groups groups={groups.data} />
        </>
      ) : (
        <Skeleton height={240} />
      )}
    </SettingsSection>
  )
}

const levels = {
  public: 'All who may read',
  internal: 'Signed-in people and keys',
  restricted: 'Only',
  host: 'People whom the git host lets read the repository, admins',
} as const

type GroupsProps = { groups: readonly ListedGroup[] }

function Rules({ rules, groups }: GroupsProps & { rules: readonly ListedRule[] }) {
  const [edited, setEdited] = useState<ListedRule | 'new'>()
  return (
    <Stack gap="sm">
      <Group justify="space-between" wrap="nowrap">
        <Title order={2}>Rules</Title>
        <Button onClick={() => setEdited('new')}>Add rule</Button>
      </Group>
      <Text size="sm" c="dimmed" maw={620}>
        The first rule whose pattern selects a library decides.
      </Text>
      {rules.length > 0 && (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Libraries</Table.Th>
              <Table.Th>Who may read them</Table.Th>
              <ActionsHead />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rules.map((rule) => (
              <RuleRow key={rule.pattern} rule={rule} edit={() => setEdited(rule)} />
            ))}
          </Table.Tbody>
        </Table>
      )}
      <LibraryRuleForm rule={edited} groups={groups} close={() => setEdited(undefined)} />
    </Stack>
  )
}

function RuleRow({ rule, edit }: { rule: ListedRule; edit: () => void }) {
  const queryClient = useQueryClient()
  const { pattern, access, groups, users } = rule
  const remove = async () => {
    await answerOf(api['library-rules'].$delete({ query: { pattern } }, ifMatch(rule.etag)))
    await queryClient.invalidateQueries({ queryKey: libraryRulesQuery.queryKey })
  }
  const named = [...groups.map((name) => `group ${name}`), ...users]
  return (
    <Table.Tr>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>{pattern}</Table.Td>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>
        {access === 'restricted' ? `${levels.restricted} ${[...named, 'admins'].join(', ')}` : levels[access]}
      </Table.Td>
      <Table.Td align="right">
        <Group gap="xs" justify="flex-end">
          <Button size="xs" variant="default" onClick={edit} aria-label={`Edit the rule of ${pattern}`}>
            Edit
          </Button>
          <ConfirmButton
            size="xs"
            question={`Remove the rule of ${pattern}?`}
            consequence="Other rules decide about these libraries then. Without one, all who may read see them."
            done="Rule removed."
            onConfirm={remove}
          >
            Remove rule
          </ConfirmButton>
        </Group>
      </Table.Td>
    </Table.Tr>
  )
}

function Groups({ groups }: GroupsProps) {
  const [edited, setEdited] = useState<string>()
  return (
    <Stack gap="sm">
      <Group justify="space-between" wrap="nowrap">
        <Title order={2}>Groups</Title>
        <Button variant="default" onClick={() => setEdited('')}>
          Add group
        </Button>
      </Group>
      {groups.length === 0 ? (
        <Text size="sm" c="dimmed">
          There are no groups. A rule can also name users.
        </Text>
      ) : (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th>Members</Table.Th>
              <ActionsHead />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {groups.map((group) => (
              <GroupRow key={group.name} group={group} edit={() => setEdited(group.name)} />
            ))}
          </Table.Tbody>
        </Table>
      )}
      <GroupForm name={edited} close={() => setEdited(undefined)} />
    </Stack>
  )
}

function GroupRow({ group: { name, issuer, members }, edit }: { group: ListedGroup; edit: () => void }) {
  const queryClient = useQueryClient()
  const remove = async () => {
    await answerOf(api.groups[':name'].$delete({ param: { name } }))
    await queryClient.invalidateQueries({ queryKey: groupsQuery.queryKey })
  }
  return (
    <Table.Tr>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>
        <bdi>{name}</bdi>
        {issuer !== '' && (
          <Badge variant="default" size="sm" tt="none" fw={500} ml={8}>
            From {issuer}
          </Badge>
        )}
      </Table.Td>
      <Table.Td>{members}</Table.Td>
      <Table.Td align="right">
        {issuer === '' && (
          <Group gap="xs" justify="flex-end">
            <Button size="xs" variant="default" onClick={edit} aria-label={`Change the members of ${name}`}>
              Members
            </Button>
            <ConfirmButton
              size="xs"
              question={`Delete the group ${name}?`}
              consequence="Its members lose what rules give to the group. The rules stay."
              done={`Group ${name} deleted.`}
              onConfirm={remove}
            >
              Delete group
            </ConfirmButton>
          </Group>
        )}
      </Table.Td>
    </Table.Tr>
  )
}
