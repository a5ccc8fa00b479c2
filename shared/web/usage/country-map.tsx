import { formatCount } from '../format.ts'
import styles from './country-map.module.css'
import { countryName } from './country-name.ts'
import { levelOf, levels } from './map-levels.ts'
import type { CountryCount } from './shown-usage.ts'
import worldMap from './world-map.json'

const pointRadius = 7

/**
 * The countries of requests on a map, the darker the more requests. Small countries are points. The table next to it has the same
 * figures. Loaded lazily, with the shapes.
 */
export function CountryMap({ countries }: { countries: readonly CountryCount[] }) {
  const counts = new Map(countries.map(({ country, count }) => [country, count]))
  const max = Math.max(0, ...counts.values())
  const looks = (country: string) => ({ 'data-level': levelOf(counts.get(country) ?? 0, max), 'data-country': country })
  const title = (country: string) => <title>{`${countryName(country)}: ${formatCount(counts.get(country) ?? 0)}`}</title>
  return (
    <figure className={styles.figure}>
      <svg
        className={styles.map}
        viewBox={`0 0 ${worldMap.width} ${worldMap.height}`}
        role="img"
        aria-label="A map of the countries in the table"
      >
        {Object.entries(worldMap.shapes).map(([country, shape]) => (
          <path key={country} d={shape} {...looks(country)}>
            {title(country)}
          </path>
        ))}
        {Object.entries(worldMap.points)
          .filter(([country]) => counts.has(country))
          .map(([country, [x, y]]) => (
            <circle key={country} cx={x} cy={y} r={pointRadius} {...looks(country)}>
              {title(country)}
            </circle>
          ))}
      </svg>
      <MapLegend max={max} />
    </figure>
  )
}

/** The colours, from one request to the most. */
const MapLegend = ({ max }: { max: number }) => (
  <figcaption className={styles.legend} aria-hidden>
    1
    <span className={styles.scale}>
      {levels.map((level) => (
        <span key={level} data-level={level} />
      ))}
    </span>
    {formatCount(max)}
  </figcaption>
)
