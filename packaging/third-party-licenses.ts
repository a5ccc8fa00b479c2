import type { Package } from '../onprem/support/read-package.ts'

/** The list of licenses that comes with the package. Throws if one is not in `allowedLicenses`. */
export function thirdPartyLicenses(packages: Package[]): string {
  const rejected = packages.filter(({ license }) => !allowedLicenses.has(license))
  if (rejected.length > 0) throw new Error(rejected.map(rejection).join('\n'))
  const byText = Object.entries(Object.groupBy(packages, licenseText))
  return `${[heading, ...byText.map(([text, same = []]) => section(same, text))].join(line)}\n`
}

/** They allow to ship the code in a bundle under the Apache License. */
const allowedLicenses = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  // Fonts.
  'OFL-1.1',
  'Unlicense',
  '(MIT AND Zlib)',
  'MIT AND ISC AND BSD-3-Clause',
  '(MIT OR GPL-3.0-or-later)',
])

const heading = `Carrel's package contains code of the packages below. It installs LanceDB's native module (@lancedb/lancedb-<platform>, Apache-2.0).`

const line = `\n\n${'-'.repeat(80)}\n\n`

const rejection = ({ name, version, license }: Package) =>
  `${name} ${version} has the license ${license}, which is not in the list of packaging/third-party-licenses.ts.`

const section = (packages: Package[], text: string): string =>
  `${packages.map(({ name, version, license }) => `${name} ${version} (${license})`).join('\n')}\n\n${text}`

/** A package without a license file gets the standard text of its license. */
export function licenseText({ name, license, author, texts }: Package): string {
  if (texts.length > 0) return texts.join('\n\n')
  if (license === 'Apache-2.0') return 'The text of the Apache License 2.0 is in the file LICENSE of this package.'
  const text = { MIT: mit, ISC: isc }[license]
  if (text === undefined)
    throw new Error(`${name} has no license file. Add the text of ${license} to packaging/third-party-licenses.ts.`)
  return `Copyright (c) ${author}\n\n${text}`
}

const isc = `Permission to use, copy, modify, and/or distribute this software for any
purpose with or without fee is hereby granted, provided that the above
copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM
LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR
OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR
PERFORMANCE OF THIS SOFTWARE.`

const mit = `Permission is hereby granted, free of charge, to any person obtaining a copy of
this software and associated documentation files (the "Software"), to deal in
the Software without restriction, including without limitation the rights to
use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of
the Software, and to permit persons to whom the Software is furnished to do so,
subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS
FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER
IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`
