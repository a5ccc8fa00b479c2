import type { References } from '../openapi/references.ts'
import { entriesOf, refName, textOf, type Values } from '../openapi/values.ts'

export type Message = { name: string; values: Values }

/** An operation, or a channel that no operation uses. */
export type ChannelUse = {
  /** `send`, `receive`, `publish` or `subscribe`; empty for a channel without operations. */
  action: string
  /** The operationId; empty if there is none. */
  id: string
  address: string
  channel: Values
  values: Values
  messages: Message[]
  /** The channel and messages of the reply that the operation expects or gives. */
  reply?: { address: string; messages: Message[] }
}

const maxMessages = 200

/** The operations of AsyncAPI 2 and 3, in the order of the document, then the channels without operations. */
export function* channelUses(root: Values, refs: References): Generator<ChannelUse> {
  const channels = entriesOf(refs.resolve(root.channels)).map(([name, channel]) => ({ name, channel: refs.resolve(channel) }))
  const used = new Set<Values>()
  for (const [id, entry] of entriesOf(refs.resolve(root.operations))) {
    const values = withTraits(refs.resolve(entry), refs)
    const channel = refs.resolve(values.channel)
    used.add(channel)
    const reply = replyOf(values, refs)
    const messages = messagesOf(values.messages ?? channel.messages, refs)
    const address = addressOf(channel, refName(values.channel))
    yield { action: textOf(values.action), id, address, channel, values, messages, ...(reply && { reply }) }
  }
  for (const { name, channel } of channels) {
    const operations = (['subscribe', 'publish'] as const).filter((action) => entriesOf(refs.resolve(channel[action])).length > 0)
    for (const action of operations) {
      const values = withTraits(refs.resolve(channel[action]), refs)
      const messages = variantsOf(values.message, refs)
      yield { action, id: textOf(values.operationId), address: addressOf(channel, name), channel, values, messages }
    }
    if (operations.length === 0 && !used.has(channel))
      yield {
        action: '',
        id: '',
        address: addressOf(channel, name),
        channel,
        values: {},
        messages: messagesOf(channel.messages, refs),
      }
  }
}

/** AsyncAPI 3 keeps the address in the channel, AsyncAPI 2 uses it as the name. */
const addressOf = ({ address }: Values, name: string): string => textOf(address) || name

function replyOf(operation: Values, refs: References): ChannelUse['reply'] {
  const reply = refs.resolve(operation.reply)
  if (entriesOf(reply).length === 0) return undefined
  const channel = refs.resolve(reply.channel)
  return {
    address: addressOf(channel, refName(reply.channel)) || textOf(refs.resolve(reply.address).location),
    messages: messagesOf(reply.messages ?? channel.messages, refs),
  }
}

/** A list of references, or an object of messages by name. */
function messagesOf(messages: unknown, refs: References): Message[] {
  const listed = refs.list(messages).map((message): [string, unknown] => [refName(message), message])
  const named = entriesOf(refs.resolve(messages))
  return [...listed, ...named].slice(0, maxMessages).map(([name, message]) => messageOf(message, name, refs))
}

function variantsOf(message: unknown, refs: References): Message[] {
  const resolved = refs.resolve(message)
  const variants = refs.list(resolved.oneOf)
  if (variants.length > 0) return variants.slice(0, maxMessages).map((variant) => messageOf(variant, refName(variant), refs))
  return entriesOf(resolved).length === 0 ? [] : [messageOf(message, refName(message), refs)]
}

function messageOf(message: unknown, key: string, refs: References): Message {
  const values = withTraits(refs.resolve(message), refs)
  return { name: textOf(values.name) || key || textOf(values.messageId), values }
}

/** Keys of the object replace those of its traits. Objects without traits stay themselves, since they have a place. */
function withTraits(values: Values, refs: References): Values {
  const traits = refs.list(values.traits)
  if (traits.length === 0) return values
  return refs.placedLike(values, Object.assign({}, ...traits.map(refs.resolve), values))
}
