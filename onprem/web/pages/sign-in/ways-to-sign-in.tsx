import { Button, Divider, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { LogIn } from 'lucide-react'
import type { ReactNode } from 'react'
import { pageMeta } from '../../../../shared/web/api/page-meta.ts'
import { MessageText } from '../../../../shared/web/message-text.tsx'
import { waysToSignInQuery } from '../../api/ways-to-sign-in-query.ts'

type WaysToSignInProps = {
  /** The path of the page that follows. */
  next: string
  /** The form for a user name and a password. */
  children: ReactNode
}

/** A button for each issuer, and the form if passwords count. */
export function WaysToSignIn({ next, children }: WaysToSignInProps) {
  const { data: ways, isPending } = useQuery(waysToSignInQuery)
  if (isPending) return <Skeleton height={180} />
  // Without an answer, the form says what is wrong.
  if (!ways || ways.issuers.length === 0) return children
  return (
    <Stack gap="sm">
      {ways.problem !== null && (
        <Text size="sm" c="var(--bad)" role="alert">
          <MessageText>{ways.problem}</MessageText>
        </Text>
      )}
      {ways.issuers.map(({ name, label }) => (
        <Button
          key={name}
          component="a"
          href={`${pageMeta('base')}/api/auth/oidc/${name}/start?${new URLSearchParams({ next })}`}
          variant="default"
          fullWidth
          leftSection={<LogIn size={16} aria-hidden />}
        >
          Sign in with {label}
        </Button>
      ))}
      {ways.passwords && (
        <>
          <Divider label="or" />
          {children}
        </>
      )}
    </Stack>
  )
}
