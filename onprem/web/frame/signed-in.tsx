import { Outlet } from '@tanstack/react-router'
import { Suspense } from 'react'
import { useSessionLost } from '../../../shared/web/api/session-lost.ts'
import { lazyPart } from '../../../shared/web/lazy-part.ts'

// The form is loaded when it is needed, so that the first page appears sooner.
const SignInAgain = lazyPart(async () => ({ default: (await import('./sign-in-again.tsx')).SignInAgain }))

/** A page of a signed-in user, and the dialog over it if the session ends. */
export function SignedIn() {
  const isLost = useSessionLost()
  return (
    <>
      <Outlet />
      <Suspense>{isLost && <SignInAgain />}</Suspense>
    </>
  )
}
