import { useSuspenseQuery } from '@tanstack/react-query'
import { UserCog } from 'lucide-react'
import type { FrameAccount } from '../../../shared/web/frame/frame-page.ts'
import { sessionQuery } from '../api/session-query.ts'
import { useSignOut } from '../api/use-sign-out.ts'

export const accountPage = { to: '/account', label: 'Personal Settings', icon: UserCog } as const

export function useAccount(): FrameAccount {
  const { data: session } = useSuspenseQuery(sessionQuery)
  const signOut = useSignOut()
  return { name: session?.user.username ?? '', page: accountPage, signOut: () => signOut.mutate(), error: signOut.error }
}
