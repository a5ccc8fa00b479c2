import { Menu } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { UserCog } from 'lucide-react'
import { AccountMenu } from '../../../shared/web/frame/account-menu.tsx'
import { sessionQuery } from '../api/session-query.ts'
import { useSignOut } from '../api/use-sign-out.ts'

export function Account() {
  const { data: session } = useSuspenseQuery(sessionQuery)
  const signOut = useSignOut()
  return (
    <AccountMenu name={session?.user.username ?? ''} signOut={() => signOut.mutate()} error={signOut.error}>
      <Menu.Item component={Link} to="/account" leftSection={<UserCog size={16} aria-hidden />}>
        Personal Settings
      </Menu.Item>
    </AccountMenu>
  )
}
