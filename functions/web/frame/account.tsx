import { Menu } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { UserCog } from 'lucide-react'
import { AccountMenu } from '../../../shared/web/frame/account-menu.tsx'
import { useSession } from '../api/use-session.ts'
import { useSignOut } from '../api/use-sign-out.ts'

export function Account() {
  const { name } = useSession().user
  const signOut = useSignOut()
  return (
    <AccountMenu name={name} signOut={() => signOut.mutate()} error={signOut.error}>
      <Menu.Item component={Link} to="/account" leftSection={<UserCog size={16} aria-hidden />}>
        Account
      </Menu.Item>
    </AccountMenu>
  )
}
