import { Outlet } from '@tanstack/react-router'
import { useSessionLost } from '../../../shared/web/api/session-lost.ts'
import { SignInAgain } from './sign-in-again.tsx'

/** A page of a signed-in user, and the dialog over it if the session ends. */
export function SignedIn() {
  const isLost = useSessionLost()
  return (
    <>
      <Outlet />
      {isLost && <SignInAgain />}
    </>
  )
}
