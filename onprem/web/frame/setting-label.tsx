import { useQuery } from '@tanstack/react-query'
import { TextLink } from '../../../shared/web/link-button.tsx'
import { sessionQuery } from '../api/session-query.ts'
import { placeOf } from './setting-places.ts'

/** The label of a setting, for admins with a link to its field. */
export function SettingLabel({ name, isPlain = false }: { name: string; isPlain?: boolean }) {
  const { data: session } = useQuery(sessionQuery)
  const place = placeOf(name)
  if (isPlain || place?.page === undefined || session?.user.role !== 'admin') return place?.label ?? name
  return (
    <TextLink to={place.page} hash={name} inherit td="underline" c="inherit">
      {place.label}
    </TextLink>
  )
}
