import { useQueryClient } from '@tanstack/react-query'
import { answerOf } from '../../../shared/web/api/answer-of.ts'
import { type NewKey, NewKeyButton, NewKeyDialog } from '../../../shared/web/keys/new-key-button.tsx'
import { api } from '../api/api.ts'

type OnCreated = (key: string) => void
type NewOwnKeyButtonProps = { children: string; name?: string; onCreated?: OnCreated }

const rights = 'The key has the rights that you have when it is used.'

/** Makes a key of the user and shows it, once. */
export function NewOwnKeyButton({ children, name, onCreated }: NewOwnKeyButtonProps) {
  const create = useCreateKey(onCreated)
  return (
    <NewKeyButton {...(name && { name })} rights={rights} create={create}>
      {children}
    </NewKeyButton>
  )
}

/** The dialog of the button, for a place without one. */
export function NewOwnKeyDialog(props: { isOpen: boolean; onClose: () => void }) {
  return <NewKeyDialog rights={rights} create={useCreateKey()} {...props} />
}

function useCreateKey(onCreated?: OnCreated) {
  const queryClient = useQueryClient()
  return async (json: NewKey) => {
    const created = await answerOf(api.keys.$post({ json }))
    onCreated?.(created.key)
    await queryClient.invalidateQueries({ queryKey: ['keys'] })
    return created
  }
}
