import { Outlet } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useSessionLost } from '../../../shared/web/api/session-lost.ts'
import { announceSignIn } from '../api/signed-in-elsewhere.ts'
import { SignInAgain } from './sign-in-again.tsx'

/** A page of a signed-in user, and the dialog over it if the session ends. */
export function SignedIn() {
  const isLost = useSessionLost()
  useEffect(announceSignIn, [])
  return (
    <>
      <Outlet />
      {isLost && <SignInAgain />}
    </>
  )
}
