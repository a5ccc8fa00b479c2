import { Menu, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Check, ChevronsUpDown, Plus } from 'lucide-react'
import styles from '../../../shared/web/frame/frame.module.css'
import type { Team } from '../api/session-query.ts'
import { useSession } from '../api/use-session.ts'
import own from './team-switcher.module.css'

/** The name of the shown teamspace, which opens the list of all. */
export function TeamSwitcher({ team }: { team: Team | undefined }) {
  const { teamspaces } = useSession()
  return (
    <Menu position="bottom-start" width={260} withInitialFocusPlaceholder={false} classNames={{ itemLabel: own.entry ?? '' }}>
      <Menu.Target>
        <UnstyledButton className={`${styles.link} ${own.button}`}>
          <VisuallyHidden>Teamspace {team?.name}</VisuallyHidden>
          <span className={own.initial} aria-hidden>
            {[...(team?.name ?? '+')][0]?.toUpperCase()}
          </span>
          <span className={`${styles.label} ${own.name}`} aria-hidden>
            <bdi>{team?.name ?? 'No teamspace'}</bdi>
          </span>
          <ChevronsUpDown size={14} aria-hidden className={own.arrows} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown className={own.list}>
        {teamspaces.length > 0 && <Menu.Label>Teamspaces</Menu.Label>}
        {teamspaces.map(({ id, name, role }) => (
          <Menu.Item
            key={id}
            component={Link}
            to={`/teamspaces/${id}`}
            aria-current={id === team?.id || undefined}
            leftSection={<Check size={16} aria-hidden visibility={id === team?.id ? 'visible' : 'hidden'} />}
            rightSection={<Text size="xs">{role}</Text>}
          >
            <bdi>{name}</bdi>
          </Menu.Item>
        ))}
        {teamspaces.length > 0 && <Menu.Divider />}
        <Menu.Item component={Link} to="/teamspaces/new" leftSection={<Plus size={16} aria-hidden />}>
          New teamspace
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
