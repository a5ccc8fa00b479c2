import { useNavigate, useSearch } from '@tanstack/react-router'
import { UsageContent } from '../usage/usage-content.tsx'

/** The usage of one library. */
export function UsageTab({ id }: { id: string }) {
  const { days } = useSearch({ from: '/signed-in/frame/libraries/$' })
  const navigate = useNavigate({ from: '/libraries/$' })
  return (
    <UsageContent
      request={{ days, library: id }}
      changeDays={(days) => void navigate({ search: (before) => ({ ...before, days }) })}
    />
  )
}
