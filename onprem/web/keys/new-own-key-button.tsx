import { useQueryClient } from '@tanstack/react-query'
import { answerOf } from '../../../shared/web/api/answer-of.ts'
import { type NewKey, NewKeyButton } from '../../../shared/web/keys/new-key-button.tsx'
import { api } from '../api/api.ts'

type NewOwnKeyButtonProps = { children: string; name?: string; onCreated?: (key: string) => void }

/** Makes a key of the user and shows it, once. */
export function NewOwnKeyButton({ children, name, onCreated }: NewOwnKeyButtonProps) {
  const queryClient = useQueryClient()
  const create = async (json: NewKey) => {
    const created = await answerOf(api.keys.$post({ json }))
    onCreated?.(created.key)
    await queryClient.invalidateQueries({ queryKey: ['keys'] })
    return created
  }
  return (
    <NewKeyButton {...(name && { name })} rights="The key has the rights that you have when it is used." create={create}>
      {children}
    </NewKeyButton>
  )
}
