import { UserCog } from 'lucide-react'
import type { FrameAccount } from '../../../shared/web/frame/frame-page.ts'
import { useSession } from '../api/use-session.ts'
import { useSignOut } from '../api/use-sign-out.ts'

export const accountPage = { to: '/account', label: 'Account', icon: UserCog } as const

export function useAccount(): FrameAccount {
  const { name } = useSession().user
  const signOut = useSignOut()
  return { name, page: accountPage, signOut: () => signOut.mutate(), error: signOut.error }
}
