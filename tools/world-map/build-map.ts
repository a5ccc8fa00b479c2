/** Writes `shared/web/usage/world-map.json`: the countries of Natural Earth (public domain) in the projection Natural Earth. */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { installTool } from '../install-tool.ts'

type Point = [number, number]
type Feature = { type: 'Feature'; id?: string; properties: { name: string }; geometry: { type: string; coordinates: unknown[] } }
type Collection = { type: 'FeatureCollection'; features: Feature[] }
type Topology = { objects: { countries: object } }
type Pen = { beginPath(): void; moveTo(x: number, y: number): void; lineTo(x: number, y: number): void; closePath(): void }
type Projection = { fitWidth(width: number, of: Collection): Projection }
type Path = { (of: Feature): void; bounds(of: Collection): [Point, Point]; centroid(of: object): Point; area(of: object): number }
type Geo = { geoNaturalEarth1(): Projection; geoPath(projection: Projection, pen?: Pen): Path }
type Topojson = { feature(topology: Topology, of: object): Collection }

const width = 2000
/** Natural Earth draws these on their own; requests from there have the code of the country. Others without a code are omitted. */
const codesByName: Record<string, string> = { Kosovo: 'XK', Somaliland: 'SO', 'N. Cyprus': 'CY' }
const antarctica = 'AQ'

const packages = await installTool('world-map')
const requireTool = createRequire(join(packages, 'x'))
const { feature }: Topojson = requireTool('topojson-client')
const { geoNaturalEarth1, geoPath }: Geo = requireTool('d3-geo')

const large = countriesOf('110m')
const projection = geoNaturalEarth1().fitWidth(width, { type: 'FeatureCollection', features: [...large.values()].flat() })
const flat = geoPath(projection)
const height = Math.ceil(flat.bounds({ type: 'FeatureCollection', features: [...large.values()].flat() })[1][1])
const shapes = Object.fromEntries([...large].map(([code, parts]) => [code, parts.map(shapeOf).join('')]))
/** The countries that are too small for a shape. */
const points = Object.fromEntries(
  [...countriesOf('50m')].filter(([code]) => !large.has(code)).map(([code, [part]]) => [code, part && middleOf(part)]),
)
const lines = (of: object) =>
  Object.entries(of)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, value]) => `    ${JSON.stringify(code)}: ${JSON.stringify(value).replaceAll(',', ', ')}`)
    .join(',\n')
writeFileSync(
  new URL('../../shared/web/usage/world-map.json', import.meta.url),
  `{\n  "width": ${width},\n  "height": ${height},\n  "shapes": {\n${lines(shapes)}\n  },\n  "points": {\n${lines(points)}\n  }\n}\n`,
)

/** The parts of each country, by its ISO 3166-1 alpha-2 code. */
function countriesOf(scale: '110m' | '50m'): Map<string, Feature[]> {
  const topology: Topology = JSON.parse(readFileSync(join(packages, `world-atlas/countries-${scale}.json`), 'utf8'))
  const parts = new Map<string, Feature[]>()
  for (const part of feature(topology, topology.objects.countries).features) {
    // A locale may name its region by the ISO number, which Natural Earth has.
    const code = part.id ? new Intl.Locale(`und-${part.id}`).region : codesByName[part.properties.name]
    if (code !== undefined && code !== antarctica) parts.set(code, [...(parts.get(code) ?? []), part])
  }
  return parts
}

/** An SVG path in whole numbers, each relative to the one before. */
function shapeOf(part: Feature): string {
  let path = ''
  let [x, y] = [0, 0]
  const step = (command: 'M' | 'l', toX: number, toY: number) => {
    const [nextX, nextY] = [Math.round(toX), Math.round(toY)]
    if (command === 'l' && nextX === x && nextY === y) return
    path += command === 'M' ? `M${nextX} ${nextY}` : `l${nextX - x} ${nextY - y}`
    ;[x, y] = [nextX, nextY]
  }
  const pen: Pen = {
    beginPath() {},
    moveTo: (toX, toY) => step('M', toX, toY),
    lineTo: (toX, toY) => step('l', toX, toY),
    closePath() {
      path += 'z'
    },
  }
  geoPath(projection, pen)(part)
  // An island may shrink to a point.
  return path.replaceAll(' -', '-').replaceAll(/M\d+ \d+z/g, '')
}

/** The middle of the largest island. */
function middleOf({ geometry }: Feature): Point {
  const polygons = geometry.type === 'MultiPolygon' ? geometry.coordinates : [geometry.coordinates]
  const islands = polygons.map((coordinates) => ({ type: 'Polygon', coordinates }))
  const [largest = {}] = islands.sort((a, b) => flat.area(b) - flat.area(a))
  const [x, y] = flat.centroid(largest)
  return [Math.round(x), Math.round(y)]
}
