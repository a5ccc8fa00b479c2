import { type AddressValues, AddAddress as Form } from '../../../../shared/web/add/add-address.tsx'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { api } from '../../api/api.ts'
import { useTeam } from '../../api/use-team.ts'
import { useShowAdded } from './use-show-added.ts'

const { website, llmstxt, openapi } = api.teamspaces[':team'].sources

const kinds = {
  website: {
    options: { shown: ['websiteBaseUrl'], more: 'Only some pages' },
    send: (team: string, { address, websiteBaseUrl }: AddressValues) => {
      const base = websiteBaseUrl.trim()
      return answerOf(website.$post({ param: { team }, json: { websiteUrl: address, ...(base && { websiteBaseUrl: base }) } }))
    },
  },
  llmstxt: {
    send: (team: string, { address }: AddressValues) =>
      answerOf(llmstxt.$post({ param: { team }, json: { llmstxtUrl: address } })),
  },
  openapi: {
    send: (team: string, { address }: AddressValues) =>
      answerOf(openapi.$post({ param: { team }, json: { openApiUrl: address } })),
  },
} as const

/** Adds the public documentation at an address that is no repository. */
export function AddAddress({ kind }: { kind: keyof typeof kinds }) {
  const { id: team } = useTeam()
  const { send, ...shown } = kinds[kind]
  return (
    <Form
      kind={kind}
      {...shown}
      done="The documentation is in your list."
      add={(values) => send(team, values)}
      onAdded={useShowAdded()}
    />
  )
}
