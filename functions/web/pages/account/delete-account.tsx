import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { ConfirmButton } from '../../../../shared/web/confirm-button.tsx'
import { api } from '../../api/api.ts'
import { useEndSession } from '../../api/use-end-session.ts'
import { useSession } from '../../api/use-session.ts'

/** Asks for the address of the user, because nothing restores an account. */
export function DeleteAccount() {
  const { email } = useSession().user
  const endSession = useEndSession()
  const remove = async () => {
    await answerOf(api.account.$delete({ json: { email } }))
    await endSession('deletion')
  }
  return (
    <ConfirmButton
      question="Delete your account?"
      consequence="You leave all teamspaces, your API keys and sessions end, and what is stored about you is deleted. Nothing restores it. Entries of audit logs keep the id of your account, without your name and address."
      typed={email}
      done={undefined}
      onConfirm={remove}
    >
      Delete account
    </ConfirmButton>
  )
}
