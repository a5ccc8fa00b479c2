import type { Section } from '../page/page.ts'
import { describe, placed, prose } from './describe.ts'
import { fencedCode, inlineText } from './inline-text.ts'
import type { References } from './references.ts'
import { entriesOf, textOf, type Values } from './values.ts'

/** The description of the API, its servers and its authentication, then its tags. `document` is the path of the document. */
export async function overviewSections(root: Values, refs: References, document: string): Promise<Section[]> {
  const info = refs.resolve(root.info)
  const at = refs.textPlace(info.description) ?? refs.place(info)
  const [first, ...others] = await describe(refs.text(info.description) || refs.text(info.summary))
  const schemes = schemesOf(root, refs)
  const facts = [serverText(root, refs), schemeText(schemes)].flatMap(prose)
  const code = schemes.flatMap(([, { description }]) => fencedCode(refs.text(description)))
  const isLead = first?.headings.length === 0
  const lead = [...(isLead ? first.blocks : []), ...facts, ...code]
  const rest = first && !isLead ? [first, ...others] : others
  const sections = [...(lead.length > 0 ? [{ headings: [], blocks: lead }] : []), ...rest]
  return [...sections.map((section) => placed(section, at, document)), ...(await tagSections(root, refs, document))]
}

function serverText(root: Values, refs: References): string {
  const named = entriesOf(refs.resolve(root.servers)).map(([, server]) => server)
  const servers = [...refs.list(root.servers), ...named].map(refs.resolve)
  const lines = servers.map((server) => serverLine(addressOf(server), inlineText(refs.text(server.description))))
  const host = textOf(root.host) + textOf(root.basePath)
  return listed('Served at:', host === '' ? lines : [...lines, serverLine(host, '')])
}

/** AsyncAPI 3 divides the address, and names the protocol apart from it. */
function addressOf({ url, host, pathname, protocol }: Values): string {
  const address = textOf(url) || textOf(host) + textOf(pathname)
  return textOf(protocol) === '' || address.includes('://') ? address : `${textOf(protocol)}://${address}`
}

const serverLine = (url: string, description: string): string => `- \`${url}\`${description === '' ? '' : `: ${description}`}`

function schemesOf(root: Values, refs: References): [string, Values][] {
  const schemes = refs.resolve(refs.resolve(root.components).securitySchemes ?? root.securityDefinitions)
  return entriesOf(schemes).map(([name, scheme]) => [name, refs.resolve(scheme)])
}

function schemeText(schemes: [string, Values][]): string {
  const lines = schemes.map(([name, scheme]) => {
    const words = [scheme.type, scheme.scheme, scheme.in, scheme.name].map(textOf).filter((word) => word !== '')
    const description = inlineText(scheme.description)
    return `- \`${name}\` (${words.join(' ')})${description === '' ? '' : `: ${description}`}`
  })
  return listed('Authentication:', lines)
}

async function tagSections(root: Values, refs: References, document: string): Promise<Section[]> {
  const sections: Section[] = []
  for (const tag of refs.list(root.tags).map(refs.resolve)) {
    const described = await describe(refs.text(tag.description))
    const at = refs.textPlace(tag.description) ?? refs.place(tag)
    for (const { headings, blocks } of described)
      sections.push(placed({ headings: [tagName(tag), ...headings], blocks }, at, document))
  }
  return sections
}

/** The headings of tags by the names that operations use. */
export const tagNames = (root: Values, refs: References): Map<string, string> =>
  new Map(
    refs
      .list(root.tags)
      .map(refs.resolve)
      .map((tag) => [textOf(tag.name), tagName(tag)]),
  )

const tagName = (tag: Values): string => textOf(tag['x-displayName']) || textOf(tag.name)

const listed = (title: string, lines: string[]): string => (lines.length > 0 ? `${title}\n\n${lines.join('\n')}` : '')
