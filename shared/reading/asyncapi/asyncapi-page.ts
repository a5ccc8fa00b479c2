import { describedBlocks, placed, prose } from '../openapi/describe.ts'
import { inlineText, titleText } from '../openapi/inline-text.ts'
import { overviewSections } from '../openapi/overview.ts'
import { detailSections, type Reading, startReading } from '../openapi/reading.ts'
import type { Document } from '../openapi/references.ts'
import { propertyLine, type Scope } from '../openapi/schema-lines.ts'
import { entriesOf, textOf, type Values, valuesOf } from '../openapi/values.ts'
import type { Block, Page, Section } from '../page/page.ts'
import { type ChannelUse, channelUses } from './channel-uses.ts'
import { messageBlocks } from './message-blocks.ts'

/** The page of an AsyncAPI 2 or 3 document: one section per operation, or per channel without operations, with its messages. */
export async function asyncapiPage({ root: value, references: refs }: Document, path: string): Promise<Page> {
  const root = valuesOf(value)
  const info = refs.resolve(root.info)
  const reading = startReading(root, path, refs)
  const sections = await overviewSections({ ...root, tags: root.tags ?? info.tags }, refs, path)
  for (const use of channelUses(root, refs)) sections.push(...(await sectionsOf(use, reading)))
  const [title, omitted] = [refs.text(info.title), refs.unresolved()]
  return { ...(title !== '' && { title }), sections, ...(omitted !== undefined && { omitted }) }
}

async function sectionsOf(use: ChannelUse, reading: Reading): Promise<Section[]> {
  const { scope, document, takeDetails } = reading
  const { refs } = scope
  const { channel, values, messages, reply } = use
  const headings = [headingOf(use, scope)]
  const descriptions = [channel.summary, channel.description, values.summary, values.description].map(refs.text)
  const blocks: Block[] = [...prose(signature(use))]
  for (const description of new Set(descriptions))
    if (!headings.includes(titleText(description))) blocks.push(...(await describedBlocks(description)))
  blocks.push(...prose(parameterText(channel, scope)))
  for (const message of messages) blocks.push(...(await messageBlocks(message, 'Message', scope)))
  if (reply && reply.address !== '') blocks.push(...prose(`The reply is sent to \`${reply.address}\`.`))
  for (const message of reply?.messages ?? []) blocks.push(...(await messageBlocks(message, 'Reply', scope)))
  const place = refs.place(entriesOf(values).length > 0 ? values : channel)
  return [placed({ headings, blocks }, place, document), ...(await detailSections(takeDetails(), headings, reading))]
}

function headingOf({ action, address, channel, values }: ChannelUse, { refs }: Scope): string {
  const titles = [values.title, values.summary, ...(action === '' ? [channel.title, channel.summary] : [])]
  return titles.map((title) => titleText(refs.text(title))).find((title) => title !== '') ?? `${action} ${address}`.trim()
}

/** `send user/signedup` and the id of the operation. */
const signature = ({ action, id, address }: ChannelUse): string =>
  `\`${`${action || 'channel'} ${address}`.trim()}\`${id === '' ? '' : ` (operation \`${id}\`)`}`

/** Parameters of AsyncAPI 3 are not in a schema of their own. */
function parameterText(channel: Values, scope: Scope): string {
  const { refs } = scope
  const lines = entriesOf(refs.resolve(channel.parameters)).map(([name, parameter]) => {
    const values = refs.resolve(parameter)
    const schema = { ...refs.resolve(values.schema ?? values), description: values.description }
    const location = inlineText(textOf(values.location))
    return propertyLine(name, schema, location === '' ? [] : [`from \`${location}\``], scope, values)
  })
  return lines.length > 0 ? `Parameters:\n\n${lines.join('\n')}` : ''
}
